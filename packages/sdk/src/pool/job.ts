import { PoolClosedError, SessionStoppedError } from '../errors/session.ts';
import { AbortError } from '../errors/stream.ts';
import { type Outcome, outcomeOf } from '../messages/outcome.ts';
import { NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import { snapshot } from '../options/checks.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { type PlainError, plainError } from '../report/redacted.ts';
import type { TurnOptions, TurnStream } from '../session/turn.ts';
import { FollowingFeed, type ItemMapper } from '../stream/following-feed.ts';
import { isPermissionItem } from '../stream/items.ts';
import { FeedStream, handled, type MessageStream, type StreamOwner } from '../stream/message-stream.ts';
import { currentContext, type InContext } from '../timing/caller.ts';
import { Deferred } from '../timing/timers.ts';
import { isJsonObject as isObject } from '../wire/kinds.ts';
import type { ResultMessage, UserContent } from '../wire/messages.ts';
import type { JobPlan, ProcessOptionName } from './check-job.ts';

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

/** A job of a pool: read like a turn, from the moment it is submitted. Reading the stream reports its failures. */
export interface PoolJob<T = unknown> extends MessageStream<T> {
  readonly id: string;
  readonly key: string | undefined;
  /** Resolves when the job has ended; never rejects. */
  readonly outcome: Promise<JobOutcome>;
  /** Adds to the prompt while the job runs. @throws TurnEndedError, or what ended the job before it ran */
  steer(content: UserContent): Promise<void>;
  /** Removes the job from the queue, or interrupts it. Resolves with false if it has already ended. */
  cancel(reason?: unknown): Promise<boolean>;
}

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

/** A job between the caller who submitted it and the pool that runs it: a stream that begins with its turn. */
export class JobHandle<T = unknown> extends FeedStream<T, FollowingFeed> implements PoolJob<T> {
  readonly id: string;
  readonly key: string | undefined;
  readonly prompt: UserContent;
  readonly options: JobOptions;
  readonly priority: number;
  readonly resume: string | undefined;
  /** What it runs with, once it has been checked. */
  plan: JobPlan = UNCHECKED;
  readonly #outcome = new Deferred<JobOutcome>();
  readonly outcome: Promise<JobOutcome> = this.#outcome.promise;
  /** Runs a function in the async context of the caller who submitted the job. */
  readonly inContext: InContext = currentContext();
  readonly submittedAt: number = Date.now();
  /** Explains the failure of its turn, which may only know that its session was stopped. */
  failure: Error | undefined;
  cancelledBy: Canceller | undefined;
  turnEnd: TurnEnd | undefined;
  readonly #cancel: (reason: unknown) => Promise<boolean>;
  readonly #abort = new AbortController();
  #turn: TurnStream<unknown> | undefined;
  /** Resolves when the turn has begun, or never will. */
  readonly #begun = new Deferred<void>();

  constructor(spec: JobSpec, cancel: (reason: unknown) => Promise<boolean>) {
    super(new FollowingFeed(), NOT_BEGUN);
    const { options = {}, ...job } = isObject(spec) ? spec : NO_JOB;
    this.id = job.id ?? crypto.randomUUID();
    this.key = job.key;
    this.prompt = snapshot(job.prompt);
    this.options = isObject(options) ? copiedOptions(options) : options;
    this.priority = job.priority ?? 0;
    this.resume = job.resume;
    this.#cancel = cancel;
  }

  /** Aborted when the job is cancelled. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  override async cost(): Promise<TurnCost> {
    return (await this.outcome).cost;
  }

  steer(content: UserContent): Promise<void> {
    return handled(this.#steer(snapshot(content)));
  }

  cancel(reason?: unknown): Promise<boolean> {
    return this.#cancel(reason);
  }

  /** Its prompt is being sent. `permissionId` is the id of a permission request in the whole pool. */
  begin(turn: TurnStream<unknown>, permissionId: (id: string) => string): void {
    const { feed, owner } = turn;
    // T stands for the job's own schema, or else for that of the pool's sessions.
    this.owner = { ...owner, outputSchema: this.plan.process.outputSchema ?? owner.outputSchema } as StreamOwner<T>;
    const withPoolId: ItemMapper = (item) => (isPermissionItem(item) ? { ...item, id: permissionId(item.id) } : item);
    this.feed.follow(feed, withPoolId);
    void feed.ended.then((failure) => this.feed.end(failure && (this.failure ?? failure)));
    this.#turn = turn;
    this.#begun.resolve();
  }

  /** The caller gives it up; the first who does so counts. */
  abort(by: 'cancel' | 'signal', reason: unknown): void {
    if (this.cancelledBy !== undefined) return;
    this.cancelledBy = by;
    this.failure ??= new AbortError(reason, by);
    this.#abort.abort(reason);
  }

  /** The job is over; `refusal` is why the pool did not run it. Returns its outcome. */
  finish(refusal?: Error): JobOutcome {
    const cause = (): Error => refusal ?? this.failure ?? new SessionStoppedError('The job was cut off');
    const end: TurnEnd = this.turnEnd ?? { error: cause(), sessionId: null, cost: NO_COST };
    if (this.#turn === undefined && 'error' in end) this.feed.end(this.failure ?? end.error);
    const outcome = jobOutcomeOf(end, this.cancelledBy);
    this.#begun.resolve();
    this.#outcome.resolve(outcome);
    return outcome;
  }

  async #steer(content: UserContent): Promise<void> {
    await this.#begun.promise;
    try {
      // Without a turn the job ended before it began, with a failure.
      if (this.#turn === undefined) throw await this.feed.ended;
      await this.#turn.steer(content);
    } catch (error) {
      throw this.failure ?? error;
    }
  }
}

const NOT_BEGUN: StreamOwner<never> = { outputSchema: undefined, redact: (text) => text, warn: () => {} };

const NO_JOB: JobSpec = { prompt: '' };
const UNCHECKED: JobPlan = { turn: {}, process: {}, profile: '' };

/** Copies the options as they are at the call, except a schema, which is not data. */
function copiedOptions(options: JobOptions): JobOptions {
  const copy = Object.entries(options).map(([name, value]) => [
    name,
    name === 'outputSchema' ? value : snapshot(value),
  ]);
  return Object.fromEntries(copy);
}

function jobOutcomeOf({ sessionId, cost, ...end }: TurnEnd, cancelledBy: Canceller | undefined): JobOutcome {
  const parts = { sessionId, costUsd: cost.costUsd, cost };
  if ('result' in end) return { status: 'finished', outcome: outcomeOf(end.result), result: end.result, ...parts };
  const failed = { error: plainError(end.error), ...parts };
  // A cancelled job may have failed for another reason before.
  const cancelled = cancelledBy !== undefined && CANCELLATIONS.some((error) => end.error instanceof error);
  return cancelled ? { status: 'cancelled', cancelledBy, ...failed } : { status: 'failed', ...failed };
}

/** The errors that a cancelled job ends with. */
const CANCELLATIONS = [AbortError, SessionStoppedError, PoolClosedError];
