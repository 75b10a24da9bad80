import { dirname, join } from 'node:path';
import { MessageNotFoundError, SessionNotFoundError } from '../errors/transcript.ts';
import { details } from './details.ts';
import { type Entry, objectOn } from './entry.ts';
import { lookAt } from './look.ts';
import { wholeChain } from './main-chain.ts';
import { findSession, projectFolders } from './place.ts';
import { readConversation } from './read-conversation.ts';
import { namingLinesOf } from './rename.ts';
import type { SessionDetails } from './session-info.ts';
import type { ForkSessionOptions } from './sessions.ts';
import { writeWhole } from './write-file.ts';

/**
 * Copies a conversation into a new session of the same project. Like the CLI's own forks the copy has the main chain only,
 * and its messages keep their uuids. @throws SessionNotFoundError, MessageNotFoundError, SessionFileError
 */
export async function fork(id: string, options: ForkSessionOptions): Promise<SessionDetails> {
  const file = await findSession(id, options);
  const look = lookAt(file);
  const { entries, lastLeaf } = await readConversation(file.path);
  const main = entries.filter(({ sidechain }) => !sidechain);
  const chain = upTo(id, wholeChain({ entries: main, lastLeaf }), options.upTo);
  if (look === undefined || chain.length === 0) throw new SessionNotFoundError(id, await projectFolders(options));

  const newId = crypto.randomUUID();
  const { customTitle } = look.info;
  // Two sessions of one name could not be told apart by it.
  const title = options.title ?? (customTitle === undefined ? undefined : `${customTitle} (fork)`);
  const kept = new Set(chain.map(({ uuid }) => uuid));
  const lines = inFileOrder(main, kept).map((entry) => copyOf(entry, id, newId));
  const named = title === undefined ? [] : namingLinesOf(newId, title);
  await writeWhole(join(dirname(file.path), `${newId}.jsonl`), `${[...lines, ...named].join('\n')}\n`);
  return details(newId, { configDir: file.configDir });
}

function upTo(id: string, chain: readonly Entry[], uuid: string | undefined): readonly Entry[] {
  if (uuid === undefined) return chain;
  const end = chain.findIndex((entry) => entry.uuid === uuid);
  if (end === -1) throw new MessageNotFoundError(id, uuid);
  return chain.slice(0, end + 1);
}

/** The last line of each uuid, where the first one stood: so a reader of the copy comes to the same chain. */
function inFileOrder(entries: readonly Entry[], kept: ReadonlySet<string>): Entry[] {
  const copied = new Map<string, Entry>();
  for (const entry of entries) if (kept.has(entry.uuid)) copied.set(entry.uuid, entry);
  return [...copied.values()];
}

function copyOf(entry: Entry, from: string, to: string): string {
  const origin = { sessionId: from, messageUuid: entry.uuid };
  return JSON.stringify({ ...objectOn(entry.line), sessionId: to, forkedFrom: origin });
}
