import { dirname, join } from 'node:path';
import { isCoxswainError } from '../errors/any-error.ts';
import { reasonOf, systemCodeOf } from '../errors/base.ts';
import { createRegular } from '../files/regular-file.ts';
import { type PrivateFolder, privateFolder, unwritable } from '../process/private-files.ts';
import type { Warning } from '../warnings/warning.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { attempt, isText, listIn, type StoreTerms, storeFailure } from './attempt.ts';
import { type ConversationFolders, isSafeName } from './mirrored-file.ts';
import { type SessionKey, type SessionStore, type StoreEntry, unseen } from './session-store.ts';

/** The transcripts of one conversation: the main one, and those of its subagents by subpath. */
export interface StoredTranscripts {
  readonly main: readonly StoreEntry[];
  readonly others: ReadonlyMap<string, readonly StoreEntry[]>;
}

/** Loads a conversation; undefined if the store does not have it. @throws StoreFailedError, and the reason of the signal */
export async function loadConversation(
  store: SessionStore,
  key: SessionKey,
  terms: StoreTerms,
  signal?: AbortSignal,
): Promise<StoredTranscripts | undefined> {
  const ask = <T>(call: () => Promise<T>): Promise<T> => attempt('load', call, terms, key.sessionId, signal);
  const load = (subpath?: string): Promise<readonly StoreEntry[]> =>
    ask(async () => {
      const found = listIn((await store.load({ ...key, subpath })) ?? [], isJsonObject, ENTRIES);
      // An adapter may have stored the entries of a repeated call twice.
      return unseen(found, undefined, new Set());
    });
  const main = await load();
  if (main.length === 0) return undefined;
  const listed = store.listSubkeys ? await ask(async () => listIn(await store.listSubkeys?.(key), isText, NAMES)) : [];
  const bad = listed.find((subpath) => !isSafeName(subpath));
  if (bad !== undefined) {
    const cause = new Error(
      `it names the transcript ${JSON.stringify(bad.slice(0, 200))}, which cannot be the name of a file`,
    );
    throw storeFailure('load', key.sessionId, cause);
  }
  const others = await Promise.all(listed.map(async (subpath) => [subpath, await load(subpath)] as const));
  return { main, others: new Map(others) };
}

const ENTRIES = { method: 'load()', wanted: 'a list of entries, or null if there are none' };
const NAMES = { method: 'listSubkeys()', wanted: 'a list of subpaths' };

/**
 * Writes a conversation to files in the CLI's format, readable only by this user.
 * @throws StoreFailedError for an entry that is not JSON, and the errors of the file system
 */
export async function writeConversation(
  { main, others }: StoredTranscripts,
  folders: ConversationFolders,
): Promise<void> {
  const { project, sessionId } = folders;
  const write = (path: string, text: string): Promise<void> => createRegular(path, dirname(project), text);
  const linesOf = (entries: readonly StoreEntry[]): string =>
    entries.map((entry, index) => `${jsonOf(entry, index, sessionId)}\n`).join('');
  await write(join(project, `${sessionId}.jsonl`), linesOf(main));
  for (const [subpath, entries] of others) {
    const path = join(project, sessionId, ...subpath.split('/'));
    // The CLI mirrors the description of a subagent as an entry and keeps it on disk in a separate file.
    const { type: _, ...about } = entries.findLast(isMetadata) ?? {};
    await write(`${path}.jsonl`, linesOf(entries.filter((entry) => !isMetadata(entry))));
    if (Object.keys(about).length > 0) await write(`${path}.meta.json`, JSON.stringify(about));
  }
}

/** True for the entry that describes a subagent. */
function isMetadata({ type }: StoreEntry): boolean {
  return type === 'agent_metadata';
}

function jsonOf(entry: StoreEntry, index: number, sessionId: string): string {
  try {
    return JSON.stringify(entry);
  } catch (error) {
    const reason = `load() returned a transcript whose entry ${index} cannot be serialised as JSON: ${reasonOf(error)}`;
    throw storeFailure('load', sessionId, new TypeError(reason, { cause: error }));
  }
}

/** Creates a private folder for a conversation. @throws SpawnError */
export function conversationFolder(warn: (warning: Warning) => void): PrivateFolder {
  try {
    return privateFolder(warn);
  } catch (error) {
    throw unwritable('with the conversation', error);
  }
}

/** Error codes of the file system for conflicting names, such as `a` and `a.jsonl/b`, and for too long names. */
const NAME_ERRORS: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);

/** The error for a stored conversation that could not be written to a private folder. */
export function restoreFailure(error: unknown, sessionId: string): Error {
  if (isCoxswainError(error)) return error;
  const code = systemCodeOf(error);
  if (code === '') return storeFailure('load', sessionId, error);
  if (!NAME_ERRORS.has(code)) return unwritable('with the conversation', error);
  const reason = `one of its names is not a valid file name: ${reasonOf(error)}`;
  return storeFailure('load', sessionId, new Error(reason, { cause: error }));
}
