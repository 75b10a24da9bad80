import { CoxswainError } from './base.ts';

/** Too many turns wait. */
export class TurnQueueFullError extends CoxswainError {
  declare readonly code: 'turn-queue-full';
  readonly limit: number;

  constructor(limit: number) {
    super('TurnQueueFullError', `${limit} turns already wait (limits.maxWaitingTurns). Await some of them first.`);
    this.limit = limit;
  }
}

/** A turn's reader fell so far behind that its backlog was given up; the turn itself goes on. */
export class ReaderTooSlowError extends CoxswainError {
  declare readonly code: 'reader-too-slow';
  readonly limit: number;

  constructor(limit: number) {
    super(
      'ReaderTooSlowError',
      `The turn's reader fell more than ${limit} bytes behind (limits.backlogBytes). Read faster or raise the limit; result() still works.`,
    );
    this.limit = limit;
  }
}

/** A turn that nobody read was too large to keep; its result was kept. */
export class TurnNotKeptError extends CoxswainError {
  declare readonly code: 'turn-not-kept';
  readonly limit: number;

  constructor(limit: number) {
    super(
      'TurnNotKeptError',
      `Nobody read this turn while it ran, and it grew past ${limit} bytes (limits.bufferBytes). Iterate it at once, or use result() and text().`,
    );
    this.limit = limit;
  }
}

/** The turn is over: nothing can be added to it. */
export class TurnEndedError extends CoxswainError {
  declare readonly code: 'turn-ended';

  constructor() {
    super(
      'TurnEndedError',
      'The turn is not running, so nothing can be added to it. Use session.send() for a new one.',
    );
  }
}

/** The turn was taken back before its prompt was sent. */
export class TurnCancelledError extends CoxswainError {
  declare readonly code: 'turn-cancelled';

  constructor() {
    super(
      'TurnCancelledError',
      'The turn was interrupted while it waited; its prompt was never sent. Send it again if it is still wanted.',
    );
  }
}

/** The CLI did not come back from an interrupted turn. */
export class TurnStuckError extends CoxswainError {
  declare readonly code: 'turn-stuck';

  constructor(ms: number, cause: unknown) {
    super(
      'TurnStuckError',
      `The CLI did not end an interrupted turn within ${ms} ms, so the session was given up. Start a new one with resume.`,
      { cause },
    );
  }
}

/** The result of a turn was on a line longer than `limits.maxLineBytes`. */
export class ResultLostError extends CoxswainError {
  declare readonly code: 'result-lost';
  readonly bytes: number;

  constructor(bytes: number, limit: number) {
    super(
      'ResultLostError',
      `The turn's result came on a line of ${bytes} bytes, over limits.maxLineBytes (${limit}), and was dropped. Raise the limit.`,
    );
    this.bytes = bytes;
  }
}

/** A session can be forked once a turn has been finished and kept on disk. */
export class SessionNotForkableError extends CoxswainError {
  declare readonly code: 'session-not-forkable';

  constructor() {
    super(
      'SessionNotForkableError',
      'The session cannot be forked: it has no finished turn on disk yet. Await a turn first, and do not set persistSession: false.',
    );
  }
}
