import type { PlainError } from '../errors/redacted.ts';
import type { Outcome } from '../messages/outcome.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import type { ResultMessage } from '../wire/messages.ts';

/** How a job ended, as plain JSON. Every job has exactly one outcome. */
export type JobOutcome = FinishedJob | FailedJob | CancelledJob;

/** The cost of a job, part of every outcome. */
export interface JobCost {
  /** The same as `cost.costUsd`. */
  readonly costUsd: number;
  readonly cost: TurnCost;
}

/** The job has a result; `outcome.kind` shows whether it is a success. */
export interface FinishedJob extends JobCost {
  readonly status: 'finished';
  readonly outcome: Outcome;
  readonly result: ResultMessage;
  readonly sessionId: string | null;
}

/** The job has no result: it failed or timed out. */
export interface FailedJob extends JobCost {
  readonly status: 'failed';
  readonly error: PlainError;
  readonly sessionId: string | null;
}

/** The job has no result: it was cancelled. */
export interface CancelledJob extends JobCost {
  readonly status: 'cancelled';
  readonly cancelledBy: Canceller;
  readonly error: PlainError;
  readonly sessionId: string | null;
}

/** What cancelled a job: `job.cancel()` or `pool.cancel()`, its signal, a `drain()` that timed out, or `close()`. */
export type Canceller = 'cancel' | 'signal' | 'drain' | 'close';
