import { CoxswainError } from './base.ts';

/** The CLI's files contain no such session. */
export class SessionNotFoundError extends CoxswainError {
  declare readonly code: 'session-not-found';
  declare readonly sessionId: string;
  /** The folders that were searched. */
  declare readonly searched: readonly string[];

  constructor(sessionId: string, searched: readonly string[]) {
    const places = searched.length === 0 ? 'there are no sessions at all' : `searched ${shortList(searched)}`;
    super(
      'SessionNotFoundError',
      `There is no session ${sessionId} with a conversation in it: ${places}. listSessions() lists the sessions on disk; check configDir and cwd.`,
      { sessionId, searched },
    );
  }
}

/** The session has no such subagent. */
export class SubagentNotFoundError extends CoxswainError {
  declare readonly code: 'subagent-not-found';
  declare readonly sessionId: string;
  declare readonly agentId: string;

  constructor(sessionId: string, agentId: string) {
    super(
      'SubagentNotFoundError',
      `The session ${sessionId} has no transcript of a subagent ${agentId}. getSession() lists its subagents.`,
      { sessionId, agentId },
    );
  }
}

/** The conversation has no such message. */
export class MessageNotFoundError extends CoxswainError {
  declare readonly code: 'message-not-found';
  declare readonly sessionId: string;
  declare readonly messageId: string;

  constructor(sessionId: string, messageId: string) {
    super(
      'MessageNotFoundError',
      `The conversation of session ${sessionId} has no message ${messageId}. Use the uuid of a message that getSessionMessages() returns.`,
      { sessionId, messageId },
    );
  }
}

/** A file of the CLI could not be read, written or removed; `cause` is the error of the operating system. */
export class SessionFileError extends CoxswainError {
  declare readonly code: 'session-file';
  declare readonly path: string;

  constructor(doing: string, path: string, cause: unknown) {
    super(
      'SessionFileError',
      `${doing} ${path} failed: ${cause instanceof Error ? cause.message : String(cause)}. Check its owner, its permissions and its type.`,
      { path, cause },
    );
  }
}

function shortList(places: readonly string[]): string {
  const shown = places.slice(0, 3).join(', ');
  return places.length > 3 ? `${shown} and ${places.length - 3} more` : shown;
}
