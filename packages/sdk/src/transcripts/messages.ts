import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SubagentNotFoundError } from '../errors/transcript.ts';
import { checkArguments, checks, type SessionMessagesOptions } from './arguments.ts';
import type { Entry } from './entry.ts';
import { isInStore, onCopy } from './in-store.ts';
import { resumedChain, wholeChain } from './main-chain.ts';
import { findSession, notFound, type SessionFile } from './paths.ts';
import { pauses } from './pauses.ts';
import { readTranscript } from './read-transcript.ts';
import { subagent, subagentsFolder } from './sessions.ts';
import { messageOf, type TranscriptMessage } from './wire-message.ts';

/**
 * Reads the messages with which the CLI would resume a session on disk, or in a store.
 * @throws OptionsError, SessionNotFoundError, SubagentNotFoundError, SessionFileError, StoreFailedError
 */
export async function getSessionMessages(
  sessionId: string,
  options: SessionMessagesOptions = {},
): Promise<TranscriptMessage[]> {
  checkArguments(checks.messages, options, { sessionId });
  if (!isInStore(options)) return read(sessionId, options);
  const { store: _, project: __, ...others } = options;
  return onCopy(sessionId, options, (copy) => read(sessionId, { ...others, ...copy }));
}

async function read(sessionId: string, options: SessionMessagesOptions): Promise<TranscriptMessage[]> {
  const { agentId, limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
  const file = await findSession(sessionId, options);
  const agent = agentId === undefined ? undefined : await agentFile(file, agentId);
  const chain = await chainIn(agent?.path ?? file.path, options, agent !== undefined);
  if (chain.length === 0 && agent === undefined) throw await notFound(sessionId, options);
  const fallback = { sessionId, parentToolUseId: agent?.toolUseId ?? null };
  // The other entries describe the environment to the model, or only link entries.
  const spoken = chain.filter(({ type, compaction }) => type === 'user' || type === 'assistant' || compaction);
  const pause = pauses();
  const messages: TranscriptMessage[] = [];
  for (const entry of spoken.slice(offset, offset + limit)) {
    const message = messageOf(entry, fallback);
    if (message) messages.push(message);
    await pause();
  }
  return messages;
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

/** Puts the lines of subagents behind the entry that they follow in the file. */
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
