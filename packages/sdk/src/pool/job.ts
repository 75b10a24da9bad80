import type { QueuedTurn } from '../conversation/turn.ts';
import { plainError } from '../errors/redacted.ts';
import { PoolClosedError, SessionStoppedError } from '../errors/session.ts';
import { AbortError } from '../errors/stream.ts';
import { outcomeOf } from '../messages/outcome.ts';
import { NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import { snapshot } from '../options/checks.ts';
import { feedOf } from '../stream/feed.ts';
import { FollowingFeed, type ItemMapper } from '../stream/following-feed.ts';
import { isPermissionItem } from '../stream/items.ts';
import { FeedStream, handled, type StreamOwner } from '../stream/message-stream.ts';
import { currentContext, type InContext } from '../timing/caller.ts';
import { Deferred } from '../timing/timers.ts';
import { isJsonObject as isObject } from '../wire/kinds.ts';
import type { ResultMessage, UserContent } from '../wire/messages.ts';
import type { JobPlan } from './check-job.ts';
import type { Canceller, JobOutcome } from './job-outcome.ts';
import type { JobOptions, JobSpec, PoolJob } from './pool.ts';

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
  /** Its checked options. */
  plan: JobPlan = UNCHECKED;
  readonly #outcome = new Deferred<JobOutcome>();
  readonly outcome: Promise<JobOutcome> = this.#outcome.promise;
  /** Runs a function in the async context of the caller who submitted the job. */
  readonly inContext: InContext = currentContext();
  readonly submittedAt: number = Date.now();
  /** Explains the failure of its turn, whose own error may only be that the session was stopped. */
  failure: Error | undefined;
  cancelledBy: Canceller | undefined;
  turnEnd: TurnEnd | undefined;
  readonly #cancel: (reason: unknown) => Promise<boolean>;
  readonly #abort = new AbortController();
  #turn: QueuedTurn | undefined;
  /** Resolves when the turn has started, or when it is certain that it will not start. */
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
  begin(turn: QueuedTurn, permissionId: (id: string) => string): void {
    const { feed, owner } = turn;
    // T stands for the job's own schema, or else for that of the pool's sessions.
    this.owner = { ...owner, outputSchema: this.plan.process.outputSchema ?? owner.outputSchema } as StreamOwner<T>;
    const withPoolId: ItemMapper = (item) => (isPermissionItem(item) ? { ...item, id: permissionId(item.id) } : item);
    this.feed.follow(feed, withPoolId);
    void feed.ended.then((failure) => this.feed.end(failure && (this.failure ?? failure)));
    this.#turn = turn;
    this.#begun.resolve();
  }

  /** Ends the job with this result, without a turn. */
  endUnsent(result: ResultMessage): void {
    this.feed.follow(feedOf(result));
    this.feed.end();
  }

  /** The caller cancels it; only the first call counts. */
  abort(by: 'cancel' | 'signal', reason: unknown): void {
    if (this.cancelledBy !== undefined) return;
    this.cancelledBy = by;
    this.failure ??= new AbortError(reason, by, this.#turn?.owner.redact);
    this.#abort.abort(reason);
  }

  /** Ends the job; `refusal` is the reason why the pool did not run it. Returns its outcome. */
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
