import { CoxswainError } from './base.ts';

/** There is no such session among the CLI's files. */
export class SessionNotFoundError extends CoxswainError {
  declare readonly code: 'session-not-found';
  readonly sessionId: string;
  /** The folders that were looked in. */
  readonly searched: readonly string[];

  constructor(sessionId: string, searched: readonly string[]) {
    const places = searched.length === 0 ? 'there are no sessions at all' : `looked in ${shortList(searched)}`;
    super(
      'SessionNotFoundError',
      `There is no session ${sessionId} with a conversation in it: ${places}. listSessions() shows what there is; check configDir and cwd.`,
    );
    this.sessionId = sessionId;
    this.searched = searched;
  }
}

/** The session has no such subagent. */
export class SubagentNotFoundError extends CoxswainError {
  declare readonly code: 'subagent-not-found';
  readonly sessionId: string;
  readonly agentId: string;

  constructor(sessionId: string, agentId: string) {
    super(
      'SubagentNotFoundError',
      `The session ${sessionId} has no transcript of a subagent ${agentId}. getSession() lists its subagents.`,
    );
    this.sessionId = sessionId;
    this.agentId = agentId;
  }
}

/** The conversation has no such message. */
export class MessageNotFoundError extends CoxswainError {
  declare readonly code: 'message-not-found';
  readonly sessionId: string;
  readonly messageId: string;

  constructor(sessionId: string, messageId: string) {
    super(
      'MessageNotFoundError',
      `The conversation of session ${sessionId} has no message ${messageId}. Take the uuid of one that getSessionMessages() gives.`,
    );
    this.sessionId = sessionId;
    this.messageId = messageId;
  }
}

/** A file of the CLI could not be read, written or removed; `cause` is what the operating system said. */
export class SessionFileError extends CoxswainError {
  declare readonly code: 'session-file';
  readonly path: string;

  constructor(doing: string, path: string, cause: unknown) {
    super(
      'SessionFileError',
      `${doing} ${path} failed: ${cause instanceof Error ? cause.message : String(cause)}. Check who owns it and what it is.`,
      { cause },
    );
    this.path = path;
  }
}

function shortList(places: readonly string[]): string {
  const shown = places.slice(0, 3).join(', ');
  return places.length > 3 ? `${shown} and ${places.length - 3} more` : shown;
}
