import { CoxswainError } from './base.ts';

/** Too many jobs wait, in all or of one key. */
export class PoolQueueFullError extends CoxswainError {
  declare readonly code: 'pool-queue-full';
  readonly limit: number;
  /** The key that has too many; `undefined` when the whole queue is full. */
  readonly key: string | undefined;

  constructor(limit: number, key?: string) {
    super(
      'PoolQueueFullError',
      key === undefined
        ? `${limit} jobs already wait in the pool (queue). Let some of them end first, or give the pool more room.`
        : `${limit} jobs of the key ${JSON.stringify(key)} already wait (perKey). Let some of them end first, or raise the limit.`,
    );
    this.limit = limit;
    this.key = key;
  }
}

/** The pool takes no jobs any more, or was stopped while the job waited. */
export class PoolClosedError extends CoxswainError {
  declare readonly code: 'pool-closed';

  constructor() {
    super(
      'PoolClosedError',
      'The job was not started: the pool is draining or was stopped. Give it to another pool, or make a new one.',
    );
  }
}

/** A job with this id waits or runs already. */
export class DuplicateJobError extends CoxswainError {
  declare readonly code: 'duplicate-job';
  readonly id: string;

  constructor(id: string) {
    super(
      'DuplicateJobError',
      `A job with the id ${JSON.stringify(id)} waits or runs in this pool already; this one was not taken. Use another id, or wait for the first.`,
    );
    this.id = id;
  }
}

/** A session in a pool did not answer any more, so its process was replaced. */
export class SessionUnhealthyError extends CoxswainError {
  declare readonly code: 'session-unhealthy';

  constructor(reason: string, cause?: unknown) {
    super(
      'SessionUnhealthyError',
      `The session was given up because it is not well: ${reason}. Its conversation goes on in a new process; send the prompt again if it was cut off.`,
      cause === undefined ? undefined : { cause },
    );
  }
}
