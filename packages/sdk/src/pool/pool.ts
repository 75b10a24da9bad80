import type { PermissionOutcome } from '../hooks/outcome.ts';
import type { SessionOptions } from '../options/groups.ts';
import type { PermissionRequest } from '../permissions/request.ts';
import type { Gap } from '../session/observer.ts';
import { onAbort } from '../stream/on-abort.ts';
import { plainError } from '../stream/shown-error.ts';
import type { Message } from '../wire/messages.ts';
import { EventHub } from './event-hub.ts';
import type { PoolEvent } from './events.ts';
import type { JobOutcome, JobSpec } from './job.ts';
import { type PoolOptions, type PoolPlan, planPool } from './options.ts';
import { JobHandle, type PoolJob } from './pool-job.ts';
import type { RunningPool } from './running-pool.ts';

/** A bounded number of sessions that share the work of many conversations. */
export interface Pool<T = unknown> extends AsyncDisposable {
  /** Settles when the options of its sessions are known to be good; with bad ones every job fails. @throws OptionsError */
  readonly ready: Promise<void>;
  /** Puts a job in the queue. Never throws: what is wrong comes out of the job. */
  submit(job: JobSpec, extras?: JobSubmitOptions): PoolJob<T>;
  /** The same for those who only want to know how it ends; never rejects. */
  run(job: JobSpec, extras?: JobRunOptions): Promise<JobOutcome>;
  /** Takes a job out of the queue, or interrupts it. False when the pool does not have it (any more). */
  cancel(jobId: string, reason?: unknown): Promise<boolean>;
  /** All events from now on; an observer that falls behind loses the oldest and is told how many. */
  events(): AsyncIterableIterator<PoolEvent | Gap>;
  stats(): PoolStats;
  /** Permission requests nobody has answered yet, of all sessions, as plain JSON. */
  pendingPermissions(): readonly PendingPermission[];
  /** Answers one, from wherever. @throws NoSuchPermissionError */
  answerPermission(id: string, answer: PermissionOutcome): Promise<void>;
  /** Takes no more jobs, lets those it has come to their end, then ends all sessions. */
  drain(): Promise<void>;
  /** Ends everything: jobs that wait fail, those that run are cut off. Resolves when all processes are gone. */
  stop(): Promise<void>;
}

/** What goes with a job and is no data. */
export interface JobSubmitOptions {
  /** Aborting it cancels the job. */
  readonly signal?: AbortSignal | undefined;
}

/** The same with a reader. */
export interface JobRunOptions extends JobSubmitOptions {
  /** Called with each message, in order, before the outcome is there. */
  readonly onMessage?: ((message: Message) => void) | undefined;
}

/** A permission request and the job it came from. */
export interface PendingPermission {
  /** For `pool.answerPermission()`. */
  readonly id: string;
  readonly job: string | null;
  readonly key: string | null;
  readonly request: PermissionRequest;
}

/** How a pool stands, and what it has done so far. */
export interface PoolStats {
  readonly state: 'open' | 'draining' | 'stopping' | 'closed';
  readonly size: number;
  readonly queued: number;
  readonly running: number;
  /** Processes by what they do. `starting` ones do not have a job yet. */
  readonly sessions: {
    readonly busy: number;
    readonly idle: number;
    readonly warm: number;
    readonly starting: number;
    readonly stopping: number;
  };
  /** Keys whose conversation is remembered. */
  readonly keys: number;
  /** Until when no job is started, in ms since the epoch. */
  readonly pausedUntil: number | null;
  readonly jobs: { readonly finished: number; readonly failed: number; readonly cancelled: number };
  readonly totals: {
    readonly started: number;
    readonly adopted: number;
    readonly resumed: number;
    readonly evicted: number;
    readonly failed: number;
    readonly replaced: number;
  };
}

/**
 * Makes a pool. Nothing is started before the first job, unless `prewarm` says so. What is wrong with the options of its
 * sessions comes from `ready` and out of every job.
 * @throws OptionsError for options of the pool itself
 */
export function createPool<T = unknown>(options: PoolOptions<T>): Pool<T> {
  return createPoolWith(options, []);
}

/** The same with layers of session options below the pool's own, the strongest first. @throws OptionsError */
export function createPoolWith<T>(options: PoolOptions<T>, layers: readonly SessionOptions<T>[]): Pool<T> {
  return new PoolHandle(planPool(options, layers));
}

/** What a caller holds of a pool. The rest is loaded when it is needed; until then what was asked for waits, in order. */
class PoolHandle<T> implements Pool<T> {
  readonly #plan: PoolPlan<T>;
  readonly #hub: EventHub;
  readonly #early: ((pool: RunningPool) => void)[] = [];
  #earlyJobs = 0;
  #loading: Promise<void> | undefined;
  #running: RunningPool | undefined;

  constructor(plan: PoolPlan<T>) {
    this.#plan = plan;
    this.#hub = new EventHub(plan.onEvent);
    if (plan.prewarm > 0) this.#load().catch(() => {});
  }

  get ready(): Promise<void> {
    const ready = this.#load();
    ready.catch(() => {});
    return ready;
  }

  submit(spec: JobSpec, { signal }: JobSubmitOptions = {}): PoolJob<T> {
    const job = new JobHandle<T>(spec, (id, reason) => this.cancel(id, reason));
    // One whose sessions cannot be made takes no jobs; whoever waits for this one is told why.
    const fail = (error: Error): void => job.finish(neverTaken(error), error);
    const abort = (): void => void job.cancel(signal?.reason).catch(() => {});
    const forget = onAbort(signal, abort);
    void job.outcome.then(forget);
    this.#earlyJobs++;
    this.#ask((pool) => pool.submit(job)).catch(fail);
    if (signal?.aborted) abort();
    return job;
  }

  async run(spec: JobSpec, { signal, onMessage }: JobRunOptions = {}): Promise<JobOutcome> {
    const job = this.submit(spec, { signal });
    if (onMessage) await readAll(job, onMessage);
    return job.outcome;
  }

  cancel(jobId: string, reason?: unknown): Promise<boolean> {
    return this.#ask((pool) => pool.cancel(jobId, reason));
  }

  events(): AsyncIterableIterator<PoolEvent | Gap> {
    return this.#hub.events();
  }

  stats(): PoolStats {
    return this.#running?.stats() ?? { ...NOTHING, size: this.#plan.size, queued: this.#earlyJobs };
  }

  pendingPermissions(): readonly PendingPermission[] {
    return this.#running?.pendingPermissions() ?? [];
  }

  answerPermission(id: string, answer: PermissionOutcome): Promise<void> {
    return this.#ask((pool) => pool.answerPermission(id, answer));
  }

  drain(): Promise<void> {
    return this.#end((pool) => pool.drain());
  }

  stop(): Promise<void> {
    return this.#end((pool) => pool.stop());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #ask<R>(question: (pool: RunningPool) => R | Promise<R>): Promise<R> {
    if (this.#running) return question(this.#running);
    const answered = new Promise<R>((resolve) => this.#early.push((pool) => resolve(question(pool))));
    await this.#load();
    return answered;
  }

  /** A pool that never came to be has nothing to end. */
  async #end(how: (pool: RunningPool) => Promise<void>): Promise<void> {
    await this.#ask(how).catch((error: Error) => {
      if (this.#running) throw error;
    });
  }

  #load(): Promise<void> {
    this.#loading ??= import('./running-pool.ts').then(({ checkDefaults, RunningPool }) => {
      checkDefaults(this.#plan.layers);
      this.#running = new RunningPool(this.#plan, this.#hub);
      for (const ask of this.#early.splice(0)) ask(this.#running);
    });
    return this.#loading;
  }
}

function neverTaken(error: Error): JobOutcome {
  return {
    status: 'failed',
    error: { ...plainError(error), name: error.name, message: error.message },
    sessionId: null,
  };
}

/** What fails is in the job's outcome, and what a callback throws is its own affair. */
async function readAll(job: PoolJob, onMessage: (message: Message) => void): Promise<void> {
  try {
    for await (const message of job) {
      try {
        const returned: unknown = onMessage(message);
        if (returned instanceof Promise) returned.catch(() => {});
      } catch {
        // A reader cannot break a job.
      }
    }
  } catch {
    // See the outcome.
  }
}

const NOTHING: PoolStats = {
  state: 'open',
  size: 0,
  queued: 0,
  running: 0,
  sessions: { busy: 0, idle: 0, warm: 0, starting: 0, stopping: 0 },
  keys: 0,
  pausedUntil: null,
  jobs: { finished: 0, failed: 0, cancelled: 0 },
  totals: { started: 0, adopted: 0, resumed: 0, evicted: 0, failed: 0, replaced: 0 },
};
