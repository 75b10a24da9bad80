import type { Message } from '../wire/messages.ts';
import { CoxswainError, refusalReason } from './base.ts';

/** The CLI did not answer a control request in time. */
export class ControlTimeoutError extends CoxswainError<'control-timeout'> {
  declare readonly kind: string;
  /** `undefined` if the request was not sent, because the session was starting or restarting. */
  declare readonly requestId: string | undefined;
  /** The timeout that expired. */
  declare readonly ms: number;

  constructor(kind: string, requestId: string | undefined, ms: number) {
    const message =
      requestId === undefined
        ? `${kind} was not sent within ${ms} ms, because the session was not ready. Check session.health(), or give the request more time.`
        : `The CLI did not answer ${kind} (${requestId}) within ${ms} ms. Check session.health(), or give the request more time.`;
    super('ControlTimeoutError', message, { kind, requestId, ms });
  }
}

/** The CLI refused a control request. */
export class ControlRequestError extends CoxswainError<'control-request'> {
  declare readonly kind: string;
  /** The CLI's own code, if it sent one: `unsupported_request`, `not_found`, … */
  declare readonly errorCode: string | undefined;
  /** The CLI's own message. */
  declare readonly said: string;

  constructor(kind: string, said: string, errorCode?: string) {
    const message = `The CLI refused ${kind}: ${refusalReason(said)}. Check its arguments, and whether this release of the CLI supports the request.`;
    super('ControlRequestError', message, { kind, errorCode, said });
  }
}

/** The CLI version is too old for the operation. Nothing was sent. */
export class UnsupportedRequestError extends CoxswainError<'unsupported-request'> {
  /** The missing control request or feature, such as `set_model` or `clear`. */
  declare readonly kind: string;
  declare readonly found: string;
  declare readonly required: string;

  constructor(fields: { kind: string; found: string; required: string }) {
    const message = `Claude Code ${fields.found} does not support ${fields.kind}; ${fields.required} and newer do. Update the CLI, or pass cli: 'pinned'.`;
    super('UnsupportedRequestError', message, fields);
  }
}

/** The session was closed or has ended; `cause` is the reason. */
export class SessionStoppedError extends CoxswainError<'session-stopped'> {
  constructor(what: string, cause?: unknown) {
    const message = `${what}: the session has ended. Open a new one; its resume option continues the conversation.`;
    super('SessionStoppedError', message, { cause });
  }
}

/** Too many control requests are unanswered. */
export class TooManyPendingRequestsError extends CoxswainError<'too-many-pending-requests'> {
  declare readonly limit: number;

  constructor(limit: number) {
    const message = `${limit} control requests are waiting for the CLI's answer (limits.maxPendingRequests). Await some of them first.`;
    super('TooManyPendingRequestsError', message, { limit });
  }
}

/** Too many operations are waiting for a session that is not ready yet. */
export class InitQueueOverflowError extends CoxswainError<'init-queue-overflow'> {
  declare readonly limit: number;

  constructor(limit: number) {
    const message = `${limit} operations are already waiting for the session to be ready (limits.maxQueuedOperations). Await session.ready first.`;
    super('InitQueueOverflowError', message, { limit });
  }
}

/** `rewindFiles` was called on a session without `fileCheckpointing`. */
export class CheckpointingNotEnabledError extends CoxswainError<'checkpointing-not-enabled'> {
  constructor() {
    const message =
      'rewindFiles needs a session that keeps copies of changed files. Open it with fileCheckpointing: true.';
    super('CheckpointingNotEnabledError', message);
  }
}

/** No permission request with this id is waiting for an answer. */
export class NoSuchPermissionError extends CoxswainError<'no-such-permission'> {
  declare readonly id: string;

  constructor(id: string) {
    const message = `No permission request ${JSON.stringify(id)} is waiting: it was answered or withdrawn, or the id is wrong. pendingPermissions() of the query, session or pool lists the open ones.`;
    super('NoSuchPermissionError', message, { id });
  }
}

/** Too many turns are waiting. */
export class TurnQueueFullError extends CoxswainError<'turn-queue-full'> {
  declare readonly limit: number;

  constructor(limit: number) {
    const message = `${limit} turns are already waiting (limits.maxWaitingTurns). Await some of them first.`;
    super('TurnQueueFullError', message, { limit });
  }
}

/** A turn's reader fell too far behind, so the backlog was dropped. The turn itself continues. */
export class ReaderTooSlowError extends CoxswainError<'reader-too-slow'> {
  declare readonly limit: number;

  constructor(limit: number) {
    const message = `The turn's reader fell more than ${limit} bytes behind (limits.backlogBytes). Read faster or raise the limit; result() still works.`;
    super('ReaderTooSlowError', message, { limit });
  }
}

/** A turn without a reader grew too large to keep. Its result was kept. */
export class TurnNotKeptError extends CoxswainError<'turn-not-kept'> {
  declare readonly limit: number;

  constructor(limit: number) {
    const message = `This turn was not read while it ran, and it grew past ${limit} bytes (limits.bufferBytes). Iterate it right after send(), or use result() and text().`;
    super('TurnNotKeptError', message, { limit });
  }
}

/** The turn is not running, so nothing can be added to it. */
export class TurnEndedError extends CoxswainError<'turn-ended'> {
  constructor() {
    const message = 'The turn is not running, so nothing can be added to it. Use session.send() for a new one.';
    super('TurnEndedError', message);
  }
}

/** The turn was cancelled before its prompt was sent. */
export class TurnCancelledError extends CoxswainError<'turn-cancelled'> {
  constructor() {
    const message =
      'The turn was interrupted while it was waiting; its prompt was never sent. Send it again if it is still needed.';
    super('TurnCancelledError', message);
  }
}

/** The CLI did not end an interrupted turn. */
export class TurnStuckError extends CoxswainError<'turn-stuck'> {
  constructor(ms: number, cause?: unknown) {
    const message = `The CLI did not end an interrupted turn within ${ms} ms, so the session was closed. Open a new one with resume.`;
    super('TurnStuckError', message, { cause });
  }
}

/** The result of a turn was on a line longer than `limits.maxLineBytes`. */
export class ResultLostError extends CoxswainError<'result-lost'> {
  declare readonly bytes: number;

  constructor(bytes: number, limit: number) {
    const message = `The turn's result was on a line of ${bytes} bytes, over limits.maxLineBytes (${limit}), and was dropped. Raise the limit.`;
    super('ResultLostError', message, { bytes });
  }
}

/** A session can be forked only after a turn has finished and was written to disk. */
export class SessionNotForkableError extends CoxswainError<'session-not-forkable'> {
  constructor() {
    const message =
      'The session cannot be forked: it has no finished turn on disk yet. Await a turn first, and do not set persistSession: false.';
    super('SessionNotForkableError', message);
  }
}

/** The CLI died during a turn; `cause` describes how. The fields hold what arrived before that. */
export class TurnInterruptedError extends CoxswainError<'turn-interrupted'> {
  /** The turn's id. */
  declare readonly turn: string;
  /** The text written by the model before that. */
  declare readonly text: string;
  /** The messages received, without partial messages; only the last part of a very long turn. */
  declare readonly messages: readonly Message[];

  constructor(fields: { turn: string; text: string; messages: readonly Message[]; cause: unknown }) {
    const message =
      `The CLI died during this turn: ${failureOf(fields.cause)} ` +
      'Its work up to that point is not undone: check text and messages, and send the prompt again if that is safe.';
    super('TurnInterruptedError', message, fields);
  }
}

/** The CLI died too often and was not restarted; `cause` is the last failure. */
export class RestartLimitError extends CoxswainError<'restart-limit'> {
  /** The number of restarts within the window. */
  declare readonly restarts: number;
  declare readonly windowMs: number;

  constructor(restarts: number, windowMs: number, cause: unknown) {
    const message =
      `The CLI died again after ${restarts} restarts within ${windowMs} ms (restart.maxRestarts, restart.windowMs), so the session was closed. ` +
      `The last failure: ${failureOf(cause)} Fix it, then open a new session with resume.`;
    super('RestartLimitError', message, { restarts, windowMs, cause });
  }
}

/** Too many jobs are waiting, in the whole pool or for one key. */
export class PoolQueueFullError extends CoxswainError<'pool-queue-full'> {
  declare readonly limit: number;
  /** The key with too many jobs; `undefined` if the whole queue is full. */
  declare readonly key: string | undefined;

  constructor(limit: number, key?: string) {
    const message =
      key === undefined
        ? `The pool's queue is full: ${limit} jobs are waiting (pool option queue). Wait until some of them finish, or raise the limit.`
        : `${limit} jobs of the key ${JSON.stringify(key)} are already waiting (pool option perKey). Wait until some of them finish, or raise the limit.`;
    super('PoolQueueFullError', message, { limit, key });
  }
}

/** The pool no longer accepts jobs, or was closed while the job was waiting. */
export class PoolClosedError extends CoxswainError<'pool-closed'> {
  constructor() {
    const message =
      'The job was not started: the pool is draining or closed. Submit it to another pool, or create a new one.';
    super('PoolClosedError', message);
  }
}

/** A job with this id is already waiting or running. */
export class DuplicateJobError extends CoxswainError<'duplicate-job'> {
  declare readonly id: string;

  constructor(id: string) {
    const message = `A job with the id ${JSON.stringify(id)} is already waiting or running in this pool; this one was rejected. Use another id, or wait for the first.`;
    super('DuplicateJobError', message, { id });
  }
}

/** A session of a pool stopped answering, so its process was replaced. */
export class SessionUnhealthyError extends CoxswainError<'session-unhealthy'> {
  constructor(reason: string, cause?: unknown) {
    const message = `The pool replaced an unhealthy session: ${reason}. Its conversation continues in a new process; send the prompt again if it was cut off.`;
    super('SessionUnhealthyError', message, { cause });
  }
}

function failureOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'it exited without an error.';
}
