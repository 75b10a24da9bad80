import { SessionStoppedError } from '../errors/control.ts';
import { PoolClosedError, PoolQueueFullError } from '../errors/pool.ts';
import { AbortError } from '../errors/stream.ts';
import { type Outcome, outcomeOf } from '../messages/outcome.ts';
import { NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import { plainError } from '../stream/shown-error.ts';
import type { RateLimitEventMessage, ResultMessage } from '../wire/messages.ts';
import type { FailedJob, FinishedJob, JobOutcome, PlainError } from './job.ts';
import type { PoolPlan } from './options.ts';
import type { JobHandle } from './pool-job.ts';
import type { JobEnd } from './scheduler.ts';

/** How the turn of a job ended. */
export type Ending =
  | {
      readonly result: ResultMessage;
      readonly rateLimit: RateLimitEventMessage | undefined;
      readonly sessionId: string | null;
      readonly cost: TurnCost;
    }
  | { readonly error: Error; readonly sessionId: string | null; readonly cost: TurnCost };

/** What is told of a job that has ended, as data, and the error for whoever reads it. */
export function outcomeOfJob(
  job: JobHandle,
  how: JobEnd,
  ending: Ending | undefined,
  limits: Pick<PoolPlan, 'queue' | 'perKey'>,
): { readonly outcome: JobOutcome; readonly failure: Error | undefined } {
  if (ending && 'result' in ending) return { outcome: finished(ending), failure: undefined };
  const failure = ending?.error ?? failureOf(job, how, limits);
  const told = failedJob(failure, ending);
  const { cancelledBy } = job;
  // Another failure may have come first.
  const cancelled = cancelledBy !== undefined && ENDS.some((end) => failure instanceof end);
  return { outcome: cancelled ? { ...told, status: 'cancelled', cancelledBy } : told, failure };
}

/** What is told of a job that has no result. */
export function failedJob(
  failure: Error,
  { sessionId, cost }: Pick<Ending, 'sessionId' | 'cost'> = { sessionId: null, cost: NO_COST },
): FailedJob {
  return { status: 'failed', error: toldError(failure), sessionId, costUsd: cost.costUsd, cost };
}

/** How a job ends that is not wanted any more. */
const ENDS = [AbortError, SessionStoppedError, PoolClosedError];

/** An error as an event tells it. */
export function toldError(error: Error): PlainError {
  return { ...plainError(error), name: error.name, message: error.message };
}

function finished({ result, rateLimit, sessionId, cost }: Extract<Ending, { result: ResultMessage }>): FinishedJob {
  const outcome: Outcome = outcomeOf(result, { rateLimit });
  return { status: 'finished', outcome, result, sessionId, costUsd: cost.costUsd, cost };
}

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
