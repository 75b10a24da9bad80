import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SubagentNotFoundError } from '../errors/transcript.ts';
import { objectIn } from '../wire/kinds.ts';
import { checkArguments, checks, type SessionMessagesOptions } from './arguments.ts';
import type { Entry } from './entry.ts';
import { onFiles } from './in-store.ts';
import { resumedChain, wholeChain } from './main-chain.ts';
import { findSession, notFound, type SessionFile } from './paths.ts';
import { pauses } from './pauses.ts';
import { readTranscript } from './read-transcript.ts';
import { subagent, subagentsFolder } from './sessions.ts';
import { type Fallback, messageOf, type TranscriptMessage } from './wire-message.ts';

/** A line of a transcript that belongs to the conversation, as written by the CLI. Its fields differ between releases. */
export interface TranscriptEntry {
  readonly type: string;
  readonly uuid: string;
  readonly [field: string]: unknown;
}

/**
 * Reads the messages with which the CLI would resume a session, from disk or from a store.
 * @throws OptionsError, SessionNotFoundError, SubagentNotFoundError, SessionFileError, StoreFailedError
 */
export async function getSessionMessages(
  sessionId: string,
  options: SessionMessagesOptions = {},
): Promise<TranscriptMessage[]> {
  return read(sessionId, options, MESSAGES);
}

/**
 * Reads the unchanged lines of the conversation: its messages, the CLI's notes between them, and the context added for the model.
 * @throws OptionsError, SessionNotFoundError, SubagentNotFoundError, SessionFileError, StoreFailedError
 */
export async function getSessionEntries(
  sessionId: string,
  options: SessionMessagesOptions = {},
): Promise<TranscriptEntry[]> {
  return read(sessionId, options, ENTRIES);
}

/** Selects and converts the entries of a conversation. */
interface Reading<T> {
  isWanted(entry: Entry): boolean;
  show(entry: Entry, fallback: Fallback): T | undefined;
}

const MESSAGES: Reading<TranscriptMessage> = {
  // Other entries describe the environment to the model, or only link entries.
  isWanted: ({ type, meta, compaction }) => !meta && (type === 'user' || type === 'assistant' || !!compaction),
  show: messageOf,
};

const ENTRIES: Reading<TranscriptEntry> = {
  isWanted: () => true,
  show: ({ line, type, uuid }) => ({ ...objectIn(line), type, uuid }),
};

async function read<T>(sessionId: string, options: SessionMessagesOptions, reading: Reading<T>): Promise<T[]> {
  checkArguments(checks.messages, options, { sessionId });
  return onFiles(sessionId, options, (files) => readFiles(sessionId, files, reading));
}

async function readFiles<T>(sessionId: string, options: SessionMessagesOptions, reading: Reading<T>): Promise<T[]> {
  const { agentId, limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
  const file = await findSession(sessionId, options);
  const agent = agentId === undefined ? undefined : await agentFile(file, agentId);
  const chain = await chainIn(agent?.path ?? file.path, options, agent !== undefined);
  if (chain.length === 0 && agent === undefined) throw await notFound(sessionId, options);
  const fallback = { sessionId, parentToolUseId: agent?.toolUseId ?? null };
  const pause = pauses();
  const shown: T[] = [];
  for (const entry of chain.filter(reading.isWanted).slice(offset, offset + limit)) {
    const one = reading.show(entry, fallback);
    if (one !== undefined) shown.push(one);
    await pause();
  }
  return shown;
}

async function chainIn(path: string, options: SessionMessagesOptions, ofAgent: boolean): Promise<Entry[]> {
  const transcript = await readTranscript(path);
  const pause = pauses();
  const main = ofAgent ? transcript.entries : transcript.entries.filter(({ sidechain }) => !sidechain);
  const resolve = options.beforeCompaction ? wholeChain : resumedChain;
  await pause();
  const chain = resolve({ ...transcript, entries: main });
  await pause();
  return options.sidechains && !ofAgent ? withSidechains(chain, transcript.entries) : chain;
}

/** Inserts the lines of subagents after the entry that precedes them in the file. */
function withSidechains(chain: readonly Entry[], entries: readonly Entry[]): Entry[] {
  const onChain = new Set(chain.map(({ uuid }) => uuid));
  const behind = new Map<string | undefined, Entry[]>();
  let last: string | undefined;
  for (const entry of entries) {
    if (onChain.has(entry.uuid)) last = entry.uuid;
    if (!entry.sidechain) continue;
    const others = behind.get(last);
    if (others) others.push(entry);
    else behind.set(last, [entry]);
  }
  return [...(behind.get(undefined) ?? []), ...chain.flatMap((entry) => [entry, ...(behind.get(entry.uuid) ?? [])])];
}

async function agentFile(
  session: SessionFile,
  agentId: string,
): Promise<{ path: string; toolUseId: string | undefined }> {
  const folder = (await subagentsFolder(session)) ?? '';
  const path = join(folder, `agent-${agentId}.jsonl`);
  const found = folder === '' ? undefined : await lstat(path).catch(() => undefined);
  if (!found?.isFile()) throw new SubagentNotFoundError(session.id, agentId);
  return { path, toolUseId: (await subagent(folder, agentId)).toolUseId };
}
