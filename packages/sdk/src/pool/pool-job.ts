import { AbortError } from '../errors/stream.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import { isObject } from '../options/checks.ts';
import { snapshot } from '../options/copied.ts';
import type { Turn } from '../session/turn.ts';
import { currentContext, type InContext } from '../stream/async-context.ts';
import { type Collected, isPermissionItem, type PermissionItem, type StreamItem } from '../stream/items.ts';
import type { MessageStream } from '../stream/message-stream.ts';
import type { Message, ResultMessage, UserContent } from '../wire/messages.ts';
import type { JobPlan } from './check-job.ts';
import type { Canceller, JobOptions, JobOutcome, JobSpec } from './job.ts';

/** A job of a pool: read like a turn, from the moment it is submitted. What goes wrong comes out of it. */
export interface PoolJob<T = unknown> extends MessageStream<T> {
  readonly id: string;
  readonly key: string | undefined;
  /** Settles when the job has ended, with how; never rejects. */
  readonly outcome: Promise<JobOutcome>;
  /** Says something more while it runs. @throws TurnEndedError, or what ended the job before it ran */
  steer(content: UserContent): Promise<void>;
  /** Takes it out of the queue, or interrupts it. False when it is over already. */
  cancel(reason?: unknown): Promise<boolean>;
}

/** What a job is given when its prompt is on its way. */
export interface JobStart {
  readonly turn: Turn;
  /** Reads the output of a job that has a schema of its own. */
  readonly readOutput: ((result: ResultMessage) => Promise<unknown>) | undefined;
  /** The id of a permission request in the whole pool. */
  permissionId(id: string): string;
}

/** A job between whoever submitted it and the pool that runs it. */
export class JobHandle<T = unknown> implements PoolJob<T> {
  readonly id: string;
  readonly key: string | undefined;
  readonly prompt: UserContent;
  readonly options: JobOptions;
  readonly priority: number;
  readonly resume: string | undefined;
  /** The names of what was given, in the job and beside it. */
  readonly fields: readonly string[];
  readonly extras: readonly string[];
  /** What it runs with, once it has been checked. */
  plan: JobPlan = UNCHECKED;
  readonly outcome: Promise<JobOutcome>;
  /** Runs something in the async context of whoever submitted it. */
  readonly inContext: InContext = currentContext();
  readonly #cancel: CancelJob;
  readonly #abort = new AbortController();
  readonly #begun: Promise<Turn<T>>;
  #begin: (turn: Turn) => void = () => {};
  #fail: (error: Error) => void = () => {};
  #settle: (outcome: JobOutcome) => void = () => {};
  #start: JobStart | undefined;
  #output: Promise<T> | undefined;
  #over = false;
  #failure: Error | undefined;
  #cancelledBy: Canceller | undefined;

  /** `extras` is what was given beside the job. */
  constructor(spec: JobSpec, cancel: CancelJob, extras: object) {
    const {
      id = crypto.randomUUID(),
      key,
      prompt,
      options = {},
      priority = 0,
      resume,
    } = isObject(spec) ? spec : NO_JOB;
    this.id = id;
    this.key = key;
    this.prompt = snapshot(prompt);
    this.options = isObject(options) ? copiedOptions(options) : options;
    this.priority = priority;
    this.resume = resume;
    this.fields = givenNames(spec);
    this.extras = givenNames(extras);
    this.#cancel = cancel;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#begun = new Promise((resolve, reject) => {
      // The schema of the pool's sessions is what T stands for.
      this.#begin = resolve as (turn: Turn) => void;
      this.#fail = reject;
    });
    this.#begun.catch(() => {});
  }

  /** Aborted when the job is cancelled. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What says more than the turn's own failure. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Who does not want it any more. */
  get cancelledBy(): Canceller | undefined {
    return this.#cancelledBy;
  }

  get results(): readonly ResultMessage[] {
    return this.#start?.turn.results ?? [];
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return new JobIterator(this.#begun, (turn) => turn[Symbol.asyncIterator](), this.#explain);
  }

  items(): AsyncIterable<StreamItem>;
  items(options: { readonly permissions: true }): AsyncIterable<StreamItem | PermissionItem>;
  items(options?: { readonly permissions: true }): AsyncIterable<StreamItem | PermissionItem> {
    const open = (turn: Turn<T>): AsyncIterator<StreamItem | PermissionItem> =>
      (options === undefined ? turn.items() : turn.items(options))[Symbol.asyncIterator]();
    return { [Symbol.asyncIterator]: () => new JobIterator(this.#begun, open, this.#explain, this.#ofPool) };
  }

  async collect(): Promise<Collected> {
    try {
      const collected = await (await this.#begun).collect();
      const { terminalError } = collected;
      return terminalError ? { ...collected, terminalError: this.#failure ?? terminalError } : collected;
    } catch (error) {
      // Only a job that never began comes here: `collect` does not throw.
      return { items: [], messages: [], warnings: [], errors: [], terminalError: error as Error };
    }
  }

  result(): Promise<ResultMessage> {
    return this.#ask((turn) => turn.result());
  }

  text(): Promise<string> {
    return this.#ask((turn) => turn.text());
  }

  output(): Promise<T> {
    this.#output ??= this.#ask((turn) => {
      const { readOutput } = this.#start ?? {};
      // A schema that the job itself was given is what T stands for.
      return readOutput ? turn.result().then(readOutput as (result: ResultMessage) => Promise<T>) : turn.output();
    });
    return this.#output;
  }

  async cost(): Promise<TurnCost> {
    return (await this.outcome).cost;
  }

  steer(content: UserContent): Promise<void> {
    const asked = snapshot(content);
    return this.#ask((turn) => turn.steer(asked));
  }

  cancel(reason?: unknown): Promise<boolean> {
    return this.#cancel(this, reason);
  }

  /** Its prompt is on its way. */
  begin(start: JobStart): void {
    this.#start = start;
    this.#begin(start.turn);
  }

  /** It is not wanted any more: the first who says so is the one who cancelled it. */
  abort(by: 'cancel' | 'signal', reason: unknown): void {
    if (this.#cancelledBy !== undefined) return;
    this.#cancelledBy = by;
    this.#failure ??= new AbortError(reason, by);
    this.#abort.abort(reason);
  }

  /** The pool ends, and the job with it. */
  endWithPool(by: 'drain' | 'stop'): void {
    this.#cancelledBy ??= by;
  }

  /** Tells why it fails, where the turn itself can only say that its session was stopped. */
  explain(failure: Error): void {
    this.#failure ??= failure;
  }

  /** It is over; the `failure` is for readers of a job that never began. */
  finish(outcome: JobOutcome, failure: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    if (failure) this.#fail(failure);
    this.#settle(outcome);
  }

  readonly #explain = (error: unknown): never => {
    throw this.#failure ?? error;
  };

  /** Permission requests have the id that the pool knows them by. */
  readonly #ofPool = <I extends StreamItem | PermissionItem>(item: I): I =>
    isPermissionItem(item) ? { ...item, id: this.#start?.permissionId(item.id) ?? item.id } : item;

  #ask<R>(question: (turn: Turn<T>) => Promise<R>): Promise<R> {
    const answered = this.#begun.then(question).catch(this.#explain);
    // Whoever asked may have gone by the time it fails; that must not end the host.
    answered.catch(() => {});
    return answered;
  }
}

/** Waits for the job to begin, then is the turn's own iterator. */
class JobIterator<T, I> implements AsyncIterator<I> {
  readonly #begun: Promise<Turn<T>>;
  readonly #open: (turn: Turn<T>) => AsyncIterator<I>;
  readonly #explain: (error: unknown) => never;
  readonly #shown: (item: I) => I;
  #inner: AsyncIterator<I> | undefined;
  #opening: Promise<AsyncIterator<I>> | undefined;
  #left = false;

  constructor(
    begun: Promise<Turn<T>>,
    open: (turn: Turn<T>) => AsyncIterator<I>,
    explain: (error: unknown) => never,
    shown: (item: I) => I = (item) => item,
  ) {
    this.#begun = begun;
    this.#open = open;
    this.#explain = explain;
    this.#shown = shown;
  }

  async next(): Promise<IteratorResult<I>> {
    if (this.#left) return { value: undefined, done: true };
    try {
      this.#inner ??= await this.#opened();
      const next = await this.#inner.next();
      return next.done ? next : { value: this.#shown(next.value), done: false };
    } catch (error) {
      // A job that never began is told so once, as the failure of a turn is.
      this.#left = true;
      return this.#explain(error);
    }
  }

  async return(): Promise<IteratorResult<I>> {
    this.#left = true;
    await this.#inner?.return?.();
    return { value: undefined, done: true };
  }

  /** Pulls that were asked for at once share one iterator. */
  #opened(): Promise<AsyncIterator<I>> {
    this.#opening ??= this.#begun.then(this.#open);
    return this.#opening;
  }
}

/** Cancels a job for the caller who holds it. */
type CancelJob = (job: { readonly id: string }, reason: unknown) => Promise<boolean>;

const NO_JOB: JobSpec = { prompt: '' };
const UNCHECKED: JobPlan = { turn: {}, process: {}, profile: '' };

/** Options as they are at the call; a schema is not data, and stays what it is. */
function copiedOptions(options: JobOptions): JobOptions {
  const copy = Object.entries(options).map(([name, value]) => [
    name,
    name === 'outputSchema' ? value : snapshot(value),
  ]);
  return Object.fromEntries(copy);
}

function givenNames(spec: unknown): readonly string[] {
  const entries = isObject(spec) ? Object.entries(spec) : [];
  return entries.filter(([, value]) => value !== undefined).map(([name]) => name);
}
