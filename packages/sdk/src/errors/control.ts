import { CoxswainError } from './base.ts';

/** A control request got no answer in time. */
export class ControlTimeoutError extends CoxswainError {
  declare readonly code: 'control-timeout';
  readonly kind: string;
  readonly requestId: string;

  constructor(kind: string, requestId: string, ms: number) {
    super(
      'ControlTimeoutError',
      `The CLI did not answer ${kind} (${requestId}) within ${ms} ms. Look at session.health(), or give the request more time.`,
    );
    this.kind = kind;
    this.requestId = requestId;
  }
}

/** The CLI refused a control request. */
export class ControlRequestError extends CoxswainError {
  declare readonly code: 'control-request';
  readonly kind: string;
  /** The CLI's own code, where it has one: `unsupported_request`, `not_found`, … */
  readonly errorCode: string | undefined;

  constructor(kind: string, said: string, errorCode?: string) {
    super(
      'ControlRequestError',
      `The CLI refused ${kind}: ${said.replace(/\.$/, '') || 'it did not say why'}. Check its arguments, and whether this release of the CLI knows the request.`,
    );
    this.kind = kind;
    this.errorCode = errorCode;
  }
}

/** The CLI is known to be too old for what was asked of the session. Nothing was sent to it. */
export class UnsupportedRequestError extends CoxswainError {
  declare readonly code: 'unsupported-request';
  /** The control request, or what else the CLI lacks: `set_model`, `clear`. */
  readonly kind: string;
  readonly found: string;
  readonly required: string;

  constructor(fields: { kind: string; found: string; required: string }) {
    super(
      'UnsupportedRequestError',
      `Claude Code ${fields.found} does not know ${fields.kind}; ${fields.required} and newer do. ` +
        "Update the CLI, or pass cli: 'pinned'.",
    );
    this.kind = fields.kind;
    this.found = fields.found;
    this.required = fields.required;
  }
}

/** The session has been stopped, or has ended; `cause` is what ended it. */
export class SessionStoppedError extends CoxswainError {
  declare readonly code: 'session-stopped';

  constructor(what: string, cause?: unknown) {
    super(
      'SessionStoppedError',
      `${what}: the session has ended. Start a new one; its resume option takes up the conversation.`,
      cause === undefined ? undefined : { cause },
    );
  }
}

/** Too many control requests are unanswered. */
export class TooManyPendingRequestsError extends CoxswainError {
  declare readonly code: 'too-many-pending-requests';
  readonly limit: number;

  constructor(limit: number) {
    super(
      'TooManyPendingRequestsError',
      `${limit} control requests are waiting for the CLI's answer (limits.maxPendingRequests). Await some of them first.`,
    );
    this.limit = limit;
  }
}

/** Too many operations were asked of a session that is not ready yet. */
export class InitQueueOverflowError extends CoxswainError {
  declare readonly code: 'init-queue-overflow';
  readonly limit: number;

  constructor(limit: number) {
    super(
      'InitQueueOverflowError',
      `${limit} operations already wait for the session to be ready (limits.maxQueuedOperations). Await session.ready first.`,
    );
    this.limit = limit;
  }
}

/** Files can only be brought back when the session was started with `fileCheckpointing`. */
export class CheckpointingNotEnabledError extends CoxswainError {
  declare readonly code: 'checkpointing-not-enabled';

  constructor() {
    super(
      'CheckpointingNotEnabledError',
      'rewindFiles needs a session that keeps copies of changed files. Start it with fileCheckpointing: true.',
    );
  }
}

/** No permission request with this id is waiting for an answer. */
export class NoSuchPermissionError extends CoxswainError {
  declare readonly code: 'no-such-permission';
  readonly id: string;

  constructor(id: string) {
    super(
      'NoSuchPermissionError',
      `No permission request ${JSON.stringify(id)} is waiting: it was answered or withdrawn, or the id is another's. pendingPermissions() of the session or pool lists those that are.`,
    );
    this.id = id;
  }
}
