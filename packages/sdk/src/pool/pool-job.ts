import { AbortError } from '../errors/stream.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import { snapshot } from '../options/checks.ts';
import type { TurnStream } from '../session/turn.ts';
import { FollowingFeed, type ItemMapper } from '../stream/following-feed.ts';
import { isPermissionItem } from '../stream/items.ts';
import { FeedStream, handled, type MessageStream, type StreamOwner } from '../stream/message-stream.ts';
import { currentContext, type InContext } from '../timing/caller.ts';
import { Deferred } from '../timing/timers.ts';
import { isJsonObject as isObject } from '../wire/kinds.ts';
import type { UserContent } from '../wire/messages.ts';
import type { JobPlan } from './check-job.ts';
import type { Canceller, JobOptions, JobOutcome, JobSpec, TurnEnd } from './job.ts';

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
  #over = false;

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

  /** The job is over; `failure` is for the readers of one that never began. */
  finish(outcome: JobOutcome, failure: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#turn === undefined) this.feed.end(this.failure ?? failure);
    this.#begun.resolve();
    this.#outcome.resolve(outcome);
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
