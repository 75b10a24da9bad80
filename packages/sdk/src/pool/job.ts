import { PoolClosedError, PoolQueueFullError, SessionStoppedError } from '../errors/session.ts';
import { AbortError } from '../errors/stream.ts';
import { type Outcome, outcomeOf } from '../messages/outcome.ts';
import { NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { type PlainError, plainError } from '../report/redacted.ts';
import type { TurnOptions } from '../session/turn.ts';
import type { ResultMessage, UserContent } from '../wire/messages.ts';
import type { ProcessOptionName } from './check-job.ts';
import type { PoolPlan } from './options.ts';
import type { JobHandle } from './pool-job.ts';
import type { JobEnd } from './scheduler.ts';

/** A job for a pool, as plain JSON: it can come from another process. */
export interface JobSpec<T = unknown> {
  /** Identifies the job in events and for `cancel()`. A random UUID by default. */
  readonly id?: string | undefined;
  /** The conversation the job belongs to. Jobs of one key run one at a time, in order. Without a key, the job starts a conversation that only it uses. */
  readonly key?: string | undefined;
  readonly prompt: UserContent;
  /** Overrides the options of the key and the pool for this job. */
  readonly options?: JobOptions<T> | undefined;
  /** From -10 to 10; higher runs first. 0 by default. */
  readonly priority?: number | undefined;
  /** The session id to resume if the pool does not know the key's conversation yet. */
  readonly resume?: string | undefined;
}

/** A job without its own `outputSchema`: its output has the type of the pool's sessions. */
export interface PlainJobSpec extends JobSpec {
  readonly options?: (JobOptions & { readonly outputSchema?: undefined }) | undefined;
}

/** The options a job can set; all others belong to the pool and its keys. */
export type JobOptions<T = unknown> = JobTurnOptions & JobProcessOptions<T>;

/** Options of the job's turn. They apply in any process. */
export type JobTurnOptions = Omit<TurnOptions, 'signal'>;

/** Options the CLI only accepts when it starts: the job runs in a process that was started with them. */
export type JobProcessOptions<T = unknown> = Pick<AgentOptions<T>, ProcessOptionName>;

/** How a job ended, as plain JSON. Every job has exactly one outcome. */
export type JobOutcome = FinishedJob | FailedJob | CancelledJob;

/** The cost of a job, part of every outcome. */
export interface JobCost {
  /** The same as `cost.costUsd`. */
  readonly costUsd: number;
  readonly cost: TurnCost;
}

/** The job has a result; `outcome.kind` says whether it is a success. */
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

/** How the turn of a job ended. */
export type TurnEnd = ({ readonly result: ResultMessage } | { readonly error: Error }) & {
  readonly sessionId: string | null;
  readonly cost: TurnCost;
};

/** The outcome of a job that has ended, and the error for its readers. */
export function jobOutcomeOf(
  job: JobHandle,
  how: JobEnd,
  limits: Pick<PoolPlan, 'queue' | 'perKey'>,
): { readonly outcome: JobOutcome; readonly failure: Error | undefined } {
  const { turnEnd: turn, cancelledBy } = job;
  if (turn && 'result' in turn) {
    const { result, sessionId, cost } = turn;
    const outcome = outcomeOf(result);
    return {
      outcome: { status: 'finished', outcome, result, sessionId, costUsd: cost.costUsd, cost },
      failure: undefined,
    };
  }
  const failure = turn?.error ?? failureOf(job, how, limits);
  const failed = failedJob(failure, turn);
  // A cancelled job may have failed for another reason before.
  const cancelled = cancelledBy !== undefined && CANCELLATIONS.some((error) => failure instanceof error);
  return { outcome: cancelled ? { ...failed, status: 'cancelled', cancelledBy } : failed, failure };
}

/** The outcome of a job that has no result. */
export function failedJob(
  failure: Error,
  { sessionId, cost }: Pick<TurnEnd, 'sessionId' | 'cost'> = { sessionId: null, cost: NO_COST },
): FailedJob {
  return { status: 'failed', error: plainError(failure), sessionId, costUsd: cost.costUsd, cost };
}

/** The errors that a cancelled job ends with. */
const CANCELLATIONS = [AbortError, SessionStoppedError, PoolClosedError];

function failureOf(job: JobHandle, how: JobEnd, { queue, perKey }: Pick<PoolPlan, 'queue' | 'perKey'>): Error {
  switch (how) {
    case 'cancelled':
      return job.failure ?? new AbortError(job.signal.reason);
    case 'queue-full':
      return new PoolQueueFullError(queue);
    case 'key-full':
      return new PoolQueueFullError(perKey, job.key);
    case 'closed':
      return new PoolClosedError();
    case 'ran':
    case 'lost':
      return new SessionStoppedError('The job was cut off');
  }
}
