import { OptionsError, SessionNotFoundError, SubagentNotFoundError } from 'coxswain/errors';
import type { SessionDetails, SessionInfo, TranscriptEntry } from 'coxswain/transcripts';
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
import { detachedAmong, detachedIn } from './branch.ts';
import { isShown, isSpoken, sessionMessage } from './message.ts';
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

/** A conversation; `undefined` if there is none with this id. */
export async function getSessionInfo(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  return unlessMissing(async () => sessionInfo(await getSession(sessionId, options), options), undefined);
}

/** The messages of a conversation; empty if there is none with this id. */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  const entries = await readEntries(sessionId, await place(options));
  // Skip notes of the CLI after the last message.
  const upToLast = entries.slice(0, entries.findLastIndex(isSpoken) + 1);
  const shown = upToLast.filter((entry) => isShown(entry, options));
  return page(shown, options).map((entry) => sessionMessage(entry, { sessionId }));
}

/** The ids of the subagents of a conversation. */
export async function listSubagents(sessionId: string, options: ListSubagentsOptions = {}): Promise<string[]> {
  const session = await unlessMissing(() => getSession(sessionId, options), undefined);
  return session?.subagents.map(({ id }) => id) ?? [];
}

/** The messages of a subagent; empty if there is none with this id. */
export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  const where = await place(options);
  const entries = await readEntries(sessionId, { ...where, agentId });
  if (entries.length === 0) return [];
  const { subagents } = await getSession(sessionId, options);
  const { toolUseId, parentId } = subagents.find(({ id }) => id === agentId) ?? {};
  const shown = entries.filter(isSpoken);
  return page(shown, options).map((entry) => sessionMessage(entry, { sessionId, toolUseId, parentId }));
}

async function getSession(sessionId: string, options: SessionMutationOptions): Promise<SessionDetails> {
  return (await transcripts()).getSession(sessionId, await place(options));
}

async function readEntries(sessionId: string, where: object): Promise<TranscriptEntry[]> {
  const { getSessionEntries } = await transcripts();
  return unlessMissing(() => getSessionEntries(sessionId, where), []);
}

async function sessionInfo(info: SessionInfo, { dir, sessionStore }: SessionMutationOptions): Promise<SDKSessionInfo> {
  const { generatedTitle, customTitle = generatedTitle, firstPrompt, cwd } = info;
  const branch = sessionStore
    ? detachedAmong((await sessionStore.load({ projectKey: await projectKey(dir), sessionId: info.id })) ?? [])
    : await detachedIn(info.path);
  const described = {
    sessionId: info.id,
    summary: customTitle ?? info.lastPrompt ?? info.title,
    lastModified: info.updatedAt,
    fileSize: info.sizeBytes,
    ...{ customTitle, firstPrompt, gitBranch: info.gitBranch ?? branch, cwd, tag: info.tag },
    createdAt: info.createdAt,
    archived: info.archived,
  };
  // Like in the official SDK it has every field, some of them without a value.
  return described as SDKSessionInfo;
}

function page<T>(items: readonly T[], { limit, offset = 0 }: { limit?: number; offset?: number }): T[] {
  return items.slice(offset, limit ? offset + limit : undefined);
}

/** Returns `otherwise` for a missing session or an invalid id. */
async function unlessMissing<T, D>(read: () => Promise<T>, otherwise: D): Promise<T | D> {
  try {
    return await read();
  } catch (error) {
    const missing = [SessionNotFoundError, SubagentNotFoundError, OptionsError];
    if (missing.some((kind) => error instanceof kind)) return otherwise;
    throw error;
  }
}
