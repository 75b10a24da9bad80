import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreFailedError } from '../errors/store.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { attempt, type StoreTerms } from './attempt.ts';
import type { ConversationFolders } from './companions.ts';
import { isSafeName } from './mirrored-file.ts';
import type { SessionKey, SessionStore, StoreEntry } from './session-store.ts';
import { unseen } from './unseen.ts';

/** The transcripts of one conversation: the conversation itself, and those of its subagents by subpath. */
export interface StoredTranscripts {
  readonly main: readonly StoreEntry[];
  readonly others: ReadonlyMap<string, readonly StoreEntry[]>;
}

/** Loads a conversation; undefined if the store does not have it. @throws StoreFailedError */
export async function loadConversation(
  store: SessionStore,
  key: SessionKey,
  terms: StoreTerms,
): Promise<StoredTranscripts | undefined> {
  const load = async (subpath?: string): Promise<readonly StoreEntry[]> => {
    const found = async (): Promise<readonly StoreEntry[]> => entriesOf(await store.load({ ...key, subpath }));
    // An adapter may have kept the entries of a call that was repeated.
    return unseen(await attempt('load', found, terms, key.sessionId), undefined, new Set());
  };
  const main = await load();
  if (main.length === 0) return undefined;
  const listed = store.listSubkeys
    ? await attempt('load', async () => store.listSubkeys?.(key) ?? [], terms, key.sessionId)
    : [];
  const bad = [...listed].find((subpath) => typeof subpath !== 'string' || !isSafeName(subpath));
  if (bad !== undefined) {
    const cause = new Error(`it names the transcript ${JSON.stringify(bad)}, which cannot be the name of a file`);
    throw new StoreFailedError({ operation: 'load', sessionId: key.sessionId, attempts: 1, cause });
  }
  const others = await Promise.all(listed.map(async (subpath) => [subpath, await load(subpath)] as const));
  return { main, others: new Map(others) };
}

/** Adapters are the application's code: what they return is not always what the type says. */
function entriesOf(found: unknown): readonly StoreEntry[] {
  const entries = found ?? [];
  if (Array.isArray(entries) && entries.every(isJsonObject)) return entries;
  throw new TypeError('it returned something else than a list of entries');
}

/** Writes a conversation to files, as the CLI itself would have, readable by this user only. @throws StoreFailedError */
export async function writeConversation(
  { main, others }: StoredTranscripts,
  folders: ConversationFolders,
): Promise<void> {
  const { project, sessionId } = folders;
  await write(join(project, `${sessionId}.jsonl`), linesOf(main));
  for (const [subpath, entries] of others) {
    const path = join(project, sessionId, ...subpath.split('/'));
    // The CLI mirrors what it writes beside the transcript of a subagent as an entry.
    const { type: _, ...about } = entries.findLast(isMetadata) ?? {};
    await write(`${path}.jsonl`, linesOf(entries.filter((entry) => !isMetadata(entry))));
    if (Object.keys(about).length > 0) await write(`${path}.meta.json`, JSON.stringify(about));
  }
}

/** The entry that describes a subagent. */
function isMetadata({ type }: StoreEntry): boolean {
  return type === 'agent_metadata';
}

function linesOf(entries: readonly StoreEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
}
