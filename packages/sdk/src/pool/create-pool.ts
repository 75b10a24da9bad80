import { OptionsError } from '../errors/options.ts';
import type { PermissionDecision } from '../hooks/outcome.ts';
import { NO_COST } from '../messages/turn-cost.ts';
import type { AgentOptions } from '../options/groups.ts';
import type { Gap } from '../session/observer.ts';
import { onAbort } from '../stream/on-abort.ts';
import { plainError } from '../stream/shown-error.ts';
import type { Message } from '../wire/messages.ts';
import { checkDefaults } from './check-defaults.ts';
import { EventHub } from './event-hub.ts';
import type { PoolEvent } from './events.ts';
import type { JobOutcome, JobSpec, PlainJobSpec } from './job.ts';
import { type PoolOptions, type PoolPlan, planPool } from './options.ts';
import type { DrainOptions, JobRunOptions, JobSubmitOptions, PendingPermission, Pool, PoolStats } from './pool.ts';
import { JobHandle, type PoolJob } from './pool-job.ts';
import { RunningPool } from './running-pool.ts';

/**
 * Makes a pool. Nothing is started before the first job, unless `prewarm` says so. What is wrong with the options of its
 * sessions comes from `ready` and out of every job.
 * @throws OptionsError for options of the pool itself
 */
export function createPool<T = unknown>(options: PoolOptions<T>): Pool<T> {
  return createPoolWith(options, []);
}

/** The same with layers of session options below the pool's own, the strongest first. @throws OptionsError */
export function createPoolWith<T>(options: PoolOptions<T>, layers: readonly AgentOptions<T>[]): Pool<T> {
  return new PoolHandle(planPool(options, layers));
}

/** What a caller holds of a pool. With session options that cannot be used it refuses every job. */
class PoolHandle<T> implements Pool<T> {
  readonly #hub: EventHub;
  readonly #size: number;
  readonly #pool: RunningPool | undefined;
  readonly #refusal: Error | undefined;

  constructor(plan: PoolPlan<T>) {
    this.#hub = new EventHub(plan.onEvent);
    this.#size = plan.size;
    try {
      checkDefaults(plan.layers);
      this.#pool = new RunningPool(plan, this.#hub);
    } catch (error) {
      if (!(error instanceof OptionsError)) throw error;
      this.#refusal = error;
    }
  }

  get ready(): Promise<void> {
    return this.#refusal ? Promise.reject(this.#refusal) : Promise.resolve();
  }

  submit(spec: PlainJobSpec, extras?: JobSubmitOptions): PoolJob<T>;
  submit<O>(spec: JobSpec<O>, extras?: JobSubmitOptions): PoolJob<O>;
  submit(spec: JobSpec, extras: JobSubmitOptions = {}): PoolJob {
    return this.#submit(spec, extras);
  }

  #submit(spec: JobSpec, extras: JobSubmitOptions): PoolJob {
    const { signal } = extras;
    const cancel = (own: { readonly id: string }, reason: unknown, by: 'cancel' | 'signal'): Promise<boolean> =>
      this.#ask((pool) => pool.cancel(own.id, reason, by, own));
    const job = new JobHandle(spec, (own, reason) => cancel(own, reason, 'cancel'), extras);
    // One whose sessions cannot be made takes no jobs; whoever waits for this one is told why.
    const fail = (error: Error): void => job.finish(neverTaken(error), error);
    const abort = (): void => void cancel(job, signal?.reason, 'signal').catch(() => {});
    const forget = onAbort(signal, abort);
    void job.outcome.then(forget);
    this.#ask((pool) => pool.submit(job)).catch(fail);
    if (signal?.aborted) abort();
    return job;
  }

  async run(spec: JobSpec, { onMessage, ...extras }: JobRunOptions = {}): Promise<JobOutcome> {
    const job = this.#submit(spec, extras);
    if (onMessage) await readAll(job, onMessage);
    return job.outcome;
  }

  cancel(jobId: string, reason?: unknown): Promise<boolean> {
    return this.#ask((pool) => pool.cancel(jobId, reason, 'cancel'));
  }

  events(): AsyncIterableIterator<PoolEvent | Gap> {
    return this.#hub.events();
  }

  stats(): PoolStats {
    return this.#pool?.stats() ?? { ...NOTHING, size: this.#size };
  }

  pendingPermissions(): readonly PendingPermission[] {
    return this.#pool?.pendingPermissions() ?? [];
  }

  answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    return this.#ask((pool) => pool.answerPermission(id, answer));
  }

  async drain(options?: DrainOptions): Promise<void> {
    await this.#pool?.drain(options);
  }

  async close(): Promise<void> {
    await this.#pool?.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #ask<R>(what: (pool: RunningPool) => R | Promise<R>): Promise<R> {
    if (!this.#pool) throw this.#refusal;
    return what(this.#pool);
  }
}

function neverTaken(error: Error): JobOutcome {
  return {
    status: 'failed',
    error: { ...plainError(error), name: error.name, message: error.message },
    sessionId: null,
    costUsd: 0,
    cost: NO_COST,
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
