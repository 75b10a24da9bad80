import { CoxswainError, reasonOf } from './base.ts';

/** No session with this id exists on disk or in the store. */
export class SessionNotFoundError extends CoxswainError<'session-not-found'> {
  declare readonly sessionId: string;
  /** The folders that were searched. */
  declare readonly searched: readonly string[];

  constructor(sessionId: string, searched: readonly string[]) {
    const places = searched.length === 0 ? 'no sessions are on disk' : `searched ${shortList(searched)}`;
    const message = `No conversation with the session id ${sessionId} was found: ${places}. listSessions() lists the sessions on disk; check configDir and cwd.`;
    super('SessionNotFoundError', message, { sessionId, searched });
  }
}

/** The session has no subagent with this id. */
export class SubagentNotFoundError extends CoxswainError<'subagent-not-found'> {
  declare readonly sessionId: string;
  declare readonly agentId: string;

  constructor(sessionId: string, agentId: string) {
    const message = `The session ${sessionId} has no transcript of a subagent ${agentId}. getSession() lists its subagents.`;
    super('SubagentNotFoundError', message, { sessionId, agentId });
  }
}

/** The conversation has no message with this id. */
export class MessageNotFoundError extends CoxswainError<'message-not-found'> {
  declare readonly sessionId: string;
  declare readonly messageId: string;

  constructor(sessionId: string, messageId: string) {
    const message = `The conversation of session ${sessionId} has no message ${messageId}. Use the uuid of a message that getSessionMessages() returns.`;
    super('MessageNotFoundError', message, { sessionId, messageId });
  }
}

/** A file of the CLI could not be read, written or removed; `cause` is the error of the operating system. */
export class SessionFileError extends CoxswainError<'session-file'> {
  declare readonly path: string;

  constructor(doing: string, path: string, cause: unknown) {
    const message = `${doing} ${path} failed: ${reasonOf(cause)}. Check its owner, its permissions and its type.`;
    super('SessionFileError', message, { path, cause });
  }
}

function shortList(places: readonly string[]): string {
  const shown = places.slice(0, 3).join(', ');
  return places.length > 3 ? `${shown} and ${places.length - 3} more` : shown;
}
