import type { Outcome } from '../messages/outcome.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import type { TurnOptions } from '../session/turn.ts';
import type { ResultMessage, UserContent } from '../wire/messages.ts';

/** Work for a pool, as plain JSON: it can come from another process. */
export interface JobSpec {
  /** Names the job in events and for `cancel()`; one is made up if there is none. */
  readonly id?: string | undefined;
  /** The conversation it belongs to. Jobs of one key run one at a time, in order, in one conversation; without a key a job has one of its own. */
  readonly key?: string | undefined;
  readonly prompt: UserContent;
  /** What this turn has of its own: model, permissionMode, thinking, timeouts. */
  readonly options?: JobOptions | undefined;
  /** From -10 to 10; higher goes first. 0 by default. */
  readonly priority?: number | undefined;
  /** The session id to take up, if the pool does not know the key's conversation. */
  readonly resume?: string | undefined;
}

/** What a job may have of its own; everything else belongs to its session. */
export type JobOptions = Omit<TurnOptions, 'signal'>;

/** How a job ended, as plain JSON. Every job has exactly one. */
export type JobOutcome = FinishedJob | FailedJob;

/** What every outcome says of the cost. */
export interface JobCost {
  /** What the job cost, the same as `cost.costUsd`. */
  readonly costUsd: number;
  readonly cost: TurnCost;
}

/** A result came; `outcome.kind` tells whether it is a success. */
export interface FinishedJob extends JobCost {
  readonly status: 'finished';
  readonly outcome: Outcome;
  readonly result: ResultMessage;
  readonly sessionId: string | null;
}

/** No result came: it failed, or was cancelled. */
export interface FailedJob extends JobCost {
  readonly status: 'failed' | 'cancelled';
  readonly error: PlainError;
  readonly sessionId: string | null;
}

/** An error as plain JSON; `code` tells which, as for the error itself. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly [field: string]: unknown;
}
