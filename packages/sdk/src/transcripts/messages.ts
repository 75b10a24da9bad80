import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionNotFoundError, SubagentNotFoundError } from '../errors/transcript.ts';
import { subagent, subagentsFolder } from './details.ts';
import type { Entry } from './entry.ts';
import { resumedChain, wholeChain } from './main-chain.ts';
import { findSession, projectFolders, type SessionFile } from './place.ts';
import { readConversation } from './read-conversation.ts';
import type { SessionMessagesOptions } from './sessions.ts';
import { isMessageEntry, messageOf, type TranscriptMessage } from './wire-message.ts';

/** Reads the messages of a conversation. @throws SessionNotFoundError, SubagentNotFoundError, SessionFileError */
export async function messages(id: string, options: SessionMessagesOptions): Promise<TranscriptMessage[]> {
  const { agentId, limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
  const file = await findSession(id, options);
  const agent = agentId === undefined ? undefined : await agentFile(file, agentId);
  const chain = await chainIn(agent?.path ?? file.path, options, agent !== undefined);
  if (chain.length === 0 && agent === undefined) throw new SessionNotFoundError(id, await projectFolders(options));
  const fallback = { sessionId: id, parentToolUseId: agent?.toolUseId ?? null };
  return chain
    .filter(isMessageEntry)
    .slice(offset, offset + limit)
    .flatMap((entry) => messageOf(entry, fallback) ?? []);
}

async function chainIn(path: string, options: SessionMessagesOptions, ofAgent: boolean): Promise<Entry[]> {
  const conversation = await readConversation(path);
  const main = ofAgent ? conversation.entries : conversation.entries.filter(({ sidechain }) => !sidechain);
  const resolve = options.beforeCompaction ? wholeChain : resumedChain;
  const chain = resolve({ ...conversation, entries: main });
  return options.sidechains && !ofAgent ? withSidechains(chain, conversation.entries) : chain;
}

/** Puts the lines of subagents behind the entry after which they stand in the file. */
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
  const folder = await subagentsFolder(session);
  const path = folder === undefined ? undefined : join(folder, `agent-${agentId}.jsonl`);
  const found = path === undefined ? undefined : await lstat(path).catch(() => undefined);
  if (folder === undefined || path === undefined || !found?.isFile()) {
    throw new SubagentNotFoundError(session.id, agentId);
  }
  return { path, toolUseId: (await subagent(folder, agentId)).toolUseId };
}
