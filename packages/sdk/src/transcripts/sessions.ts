import { checkArguments, checks } from './arguments.ts';
import type { SessionPlace } from './place.ts';
import type { SessionDetails, SessionInfo } from './session-info.ts';
import type { TranscriptMessage } from './wire-message.ts';

/** Which sessions, and how many. */
export interface ListSessionsOptions extends SessionPlace {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** By their last change, or by when they were started; the newest first. */
  readonly sort?: 'updated' | 'created' | undefined;
}

/** Which messages of a session. */
export interface SessionMessagesOptions extends SessionPlace {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Those of a subagent, by its id, instead of the main conversation. */
  readonly agentId?: string | undefined;
  /** Also what came before the last compaction, which the CLI does not go on with. */
  readonly beforeCompaction?: boolean | undefined;
  /** Also what subagents said, where an older CLI wrote it into the same file. */
  readonly sidechains?: boolean | undefined;
}

/** How a conversation is copied. */
export interface ForkSessionOptions extends SessionPlace {
  /** The uuid of the last message to copy; all of them when left out. */
  readonly upTo?: string | undefined;
  /** The name of the copy; that of the original and "(fork)" when left out, if it has one. */
  readonly title?: string | undefined;
}

/**
 * Lists the sessions the CLI has kept on disk, the newest first. Only the beginning and the end of each is read.
 * @throws OptionsError, SessionFileError
 */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SessionInfo[]> {
  checkArguments(checks.list, options, {});
  const { list } = await import('./list.ts');
  return list(options);
}

/** Describes a session on disk. @throws OptionsError, SessionNotFoundError, SessionFileError */
export async function getSession(sessionId: string, options: SessionPlace = {}): Promise<SessionDetails> {
  checkArguments(checks.place, options, { sessionId });
  const { details } = await import('./details.ts');
  return details(sessionId, options);
}

/**
 * Reads the messages with which the CLI would take a session up again.
 * @throws OptionsError, SessionNotFoundError, SubagentNotFoundError, SessionFileError
 */
export async function getSessionMessages(
  sessionId: string,
  options: SessionMessagesOptions = {},
): Promise<TranscriptMessage[]> {
  checkArguments(checks.messages, options, { sessionId });
  const { messages } = await import('./messages.ts');
  return messages(sessionId, options);
}

/**
 * Copies a conversation into a session of its own, which `resume` takes up.
 * @throws OptionsError, SessionNotFoundError, MessageNotFoundError, SessionFileError
 */
export async function forkSession(sessionId: string, options: ForkSessionOptions = {}): Promise<SessionDetails> {
  checkArguments(checks.fork, options, { sessionId });
  const { fork } = await import('./fork.ts');
  return fork(sessionId, options);
}

/** Gives a session on disk a name. @throws OptionsError, SessionNotFoundError, SessionFileError */
export async function renameSession(sessionId: string, title: string, options: SessionPlace = {}): Promise<void> {
  checkArguments(checks.place, options, { sessionId, title });
  const { renameTo } = await import('./rename.ts');
  await renameTo(sessionId, title, options);
}

/** Removes a session and all its files from the disk. @throws OptionsError, SessionNotFoundError, SessionFileError */
export async function deleteSession(sessionId: string, options: SessionPlace = {}): Promise<void> {
  checkArguments(checks.place, options, { sessionId });
  const { remove } = await import('./remove.ts');
  await remove(sessionId, options);
}
