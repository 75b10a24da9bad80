import { isCoxswainError } from 'coxswain/errors';
import type { SessionDetails, SessionInfo, TranscriptMessage } from 'coxswain/transcripts';
import type {
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ListSessionsOptions,
  ListSubagentsOptions,
  SDKSessionInfo,
  SessionMessage,
  SessionMutationOptions,
} from '../declarations/sessions.ts';
import { marksIn, marksOf } from './marks.ts';
import { place, projectKey } from './place.ts';
import { transcripts } from './transcripts.ts';

/** The conversations on disk or in a store, newest first. `limit: 0` means no limit. */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  const { limit, offset } = options;
  const found = await (await transcripts()).listSessions({
    ...(await place(options)),
    ...(limit ? { limit } : {}),
    ...(offset ? { offset } : {}),
  });
  const listed = found.map(async (info): Promise<SDKSessionInfo> => {
    const { fileSize, ...about } = await sessionInfo(info, options);
    return options.sessionStore || fileSize === undefined ? about : { ...about, fileSize };
  });
  return Promise.all(listed);
}

/** A conversation; `undefined` when there is none with this id. */
export async function getSessionInfo(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  return unlessMissing(async () => sessionInfo(await getSession(sessionId, options), options), undefined);
}

/** The messages of a conversation; none when there is no conversation with this id. */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  const where = await place(options);
  const read = await unlessMissing(() => readMessages(sessionId, where), []);
  const shown = read.filter(({ type }) => type !== 'system' || options.includeSystemMessages);
  return page(shown, options).map((message) => sessionMessage(message, null));
}

/** The ids of the subagents of a conversation. */
export async function listSubagents(sessionId: string, options: ListSubagentsOptions = {}): Promise<string[]> {
  const session = await unlessMissing(() => getSession(sessionId, options), undefined);
  return session?.subagents.map(({ id }) => id) ?? [];
}

/** The messages of a subagent; none when there is no such subagent. */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  const where = { ...(await place(options)), agentId };
  const read = await unlessMissing(() => readMessages(sessionId, where), []);
  return page(read, options).map((message) => sessionMessage(message, agentId));
}

async function getSession(sessionId: string, options: SessionMutationOptions): Promise<SessionDetails> {
  return (await transcripts()).getSession(sessionId, await place(options));
}

async function readMessages(sessionId: string, where: object): Promise<TranscriptMessage[]> {
  return (await transcripts()).getSessionMessages(sessionId, where);
}

async function sessionInfo(info: SessionInfo, { dir, sessionStore }: SessionMutationOptions): Promise<SDKSessionInfo> {
  const { customTitle, firstPrompt, gitBranch, cwd } = info;
  const { tag, archived } = sessionStore
    ? marksIn((await sessionStore.load({ projectKey: await projectKey(dir), sessionId: info.id })) ?? [])
    : await marksOf(info.path);
  return {
    sessionId: info.id,
    summary: customTitle ?? info.lastPrompt ?? info.title,
    lastModified: info.updatedAt,
    fileSize: info.sizeBytes,
    ...(customTitle === undefined ? {} : { customTitle }),
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(tag === undefined ? {} : { tag }),
    createdAt: info.createdAt,
    ...(archived ? { archived } : {}),
  };
}

function sessionMessage(message: TranscriptMessage, agent: string | null): SessionMessage {
  return {
    type: message.type,
    uuid: message.uuid,
    session_id: message.session_id,
    message: 'message' in message ? message.message : message,
    parent_tool_use_id: 'parent_tool_use_id' in message ? message.parent_tool_use_id : null,
    parent_agent_id: agent,
    ...('timestamp' in message ? { timestamp: message.timestamp } : {}),
  };
}

function page<T>(items: readonly T[], { limit, offset = 0 }: { limit?: number; offset?: number }): T[] {
  return items.slice(offset, limit ? offset + limit : undefined);
}

/** What is not there, and an id that cannot be one, is no error here. */
async function unlessMissing<T, D>(read: () => Promise<T>, otherwise: D): Promise<T | D> {
  try {
    return await read();
  } catch (error) {
    const missing = ['session-not-found', 'subagent-not-found', 'options'] as const;
    if (missing.some((code) => isCoxswainError(error, code))) return otherwise;
    throw error;
  }
}
