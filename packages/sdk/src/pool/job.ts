import type { Outcome } from '../messages/outcome.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import type { AgentOptions } from '../options/groups.ts';
import type { TurnOptions } from '../session/turn.ts';
import type { ResultMessage, UserContent } from '../wire/messages.ts';
import type { ProcessOptionName } from './job-option-names.ts';

/** Work for a pool, as plain JSON: it can come from another process. */
export interface JobSpec<T = unknown> {
  /** Names the job in events and for `cancel()`; one is made up if there is none. */
  readonly id?: string | undefined;
  /** The conversation it belongs to. Jobs of one key run one at a time, in order, in one conversation; without a key a job has one of its own. */
  readonly key?: string | undefined;
  readonly prompt: UserContent;
  /** What this job has of its own, over what its key and the pool have. */
  readonly options?: JobOptions<T> | undefined;
  /** From -10 to 10; higher goes first. 0 by default. */
  readonly priority?: number | undefined;
  /** The session id to take up, if the pool does not know the key's conversation. */
  readonly resume?: string | undefined;
}

/** A job without an `outputSchema` of its own: its output is what the pool's sessions give. */
export interface PlainJobSpec extends JobSpec {
  readonly options?: (JobOptions & { readonly outputSchema?: undefined }) | undefined;
}

/** What a job may have of its own; everything else belongs to the pool and its keys. */
export type JobOptions<T = unknown> = JobTurnOptions & JobProcessOptions<T>;

/** What holds for the turn of the job, in whatever process that runs. */
export type JobTurnOptions = Omit<TurnOptions, 'signal'>;

/** What the CLI takes only when it starts: the job runs in a process that was started with it. */
export type JobProcessOptions<T = unknown> = Pick<AgentOptions<T>, ProcessOptionName>;

/** How a job ended, as plain JSON. Every job has exactly one. */
export type JobOutcome = FinishedJob | FailedJob | CancelledJob;

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

/** No result came: something went wrong, or its time was over. */
export interface FailedJob extends JobCost {
  readonly status: 'failed';
  readonly error: PlainError;
  readonly sessionId: string | null;
}

/** No result came: it was not wanted any more. */
export interface CancelledJob extends JobCost {
  readonly status: 'cancelled';
  readonly cancelledBy: Canceller;
  readonly error: PlainError;
  readonly sessionId: string | null;
}

/** Who ended a job: `job.cancel()` or `pool.cancel()`, its signal, a `drain()` whose time was over, or `close()`. */
export type Canceller = 'cancel' | 'signal' | 'drain' | 'stop';

/** An error as plain JSON; `code` tells which, as for the error itself. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly [field: string]: unknown;
}
