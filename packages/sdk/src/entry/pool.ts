import type { PermissionOutcome } from '../hooks/outcome.ts';
import { NO_COST } from '../messages/turn-cost.ts';
import type { SessionOptions } from '../options/groups.ts';
import { EventHub } from '../pool/event-hub.ts';
import type { PoolEvent } from '../pool/events.ts';
import type { JobOutcome, JobSpec, PlainJobSpec } from '../pool/job.ts';
import { type PoolOptions, type PoolPlan, planPool } from '../pool/options.ts';
import type {
  DrainOptions,
  JobRunOptions,
  JobSubmitOptions,
  PendingPermission,
  Pool,
  PoolStats,
} from '../pool/pool.ts';
import { JobHandle, type PoolJob } from '../pool/pool-job.ts';
import type { RunningPool } from '../pool/running-pool.ts';
import type { Gap } from '../session/observer.ts';
import { onAbort } from '../stream/on-abort.ts';
import { plainError } from '../stream/shown-error.ts';
import type { Message } from '../wire/messages.ts';
import { Late } from './late.ts';
import { pools } from './part.ts';

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

/** What a caller holds of a pool. The rest is loaded when it is needed. */
class PoolHandle<T> implements Pool<T> {
  readonly #plan: PoolPlan<T>;
  readonly #hub: EventHub;
  #late: Late<RunningPool> | undefined;
  #earlyJobs = 0;

  constructor(plan: PoolPlan<T>) {
    this.#plan = plan;
    this.#hub = new EventHub(plan.onEvent);
    if (plan.prewarm > 0) void this.ready;
  }

  get ready(): Promise<void> {
    return this.#pool.ask(async () => {});
  }

  submit(spec: PlainJobSpec, extras?: JobSubmitOptions): PoolJob<T>;
  submit<O>(spec: JobSpec<O>, extras?: JobSubmitOptions): PoolJob<O>;
  submit(spec: JobSpec, extras: JobSubmitOptions = {}): PoolJob {
    return this.#submit(spec, extras);
  }

  #submit(spec: JobSpec, extras: JobSubmitOptions): PoolJob {
    const { signal } = extras;
    const cancel = (own: { readonly id: string }, reason: unknown, by: 'cancel' | 'signal'): Promise<boolean> =>
      this.#pool.ask(async (pool) => pool.cancel(own.id, reason, by, own));
    const job = new JobHandle(spec, (own, reason) => cancel(own, reason, 'cancel'), extras);
    // One whose sessions cannot be made takes no jobs; whoever waits for this one is told why.
    const fail = (error: Error): void => job.finish(neverTaken(error), error);
    const abort = (): void => void cancel(job, signal?.reason, 'signal').catch(() => {});
    const forget = onAbort(signal, abort);
    void job.outcome.then(forget);
    this.#earlyJobs++;
    this.#pool.ask(async (pool) => pool.submit(job)).catch(fail);
    if (signal?.aborted) abort();
    return job;
  }

  async run(spec: JobSpec, { onMessage, ...extras }: JobRunOptions = {}): Promise<JobOutcome> {
    const job = this.#submit(spec, extras);
    if (onMessage) await readAll(job, onMessage);
    return job.outcome;
  }

  cancel(jobId: string, reason?: unknown): Promise<boolean> {
    return this.#pool.ask(async (pool) => pool.cancel(jobId, reason, 'cancel'));
  }

  events(): AsyncIterableIterator<PoolEvent | Gap> {
    return this.#hub.events();
  }

  stats(): PoolStats {
    return this.#late?.now?.stats() ?? { ...NOTHING, size: this.#plan.size, queued: this.#earlyJobs };
  }

  pendingPermissions(): readonly PendingPermission[] {
    return this.#late?.now?.pendingPermissions() ?? [];
  }

  answerPermission(id: string, answer: PermissionOutcome): Promise<void> {
    return this.#pool.ask((pool) => pool.answerPermission(id, answer));
  }

  drain(options?: DrainOptions): Promise<void> {
    return this.#end((pool) => pool.drain(options));
  }

  stop(): Promise<void> {
    return this.#end((pool) => pool.stop());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** A pool that never came to be has nothing to end. */
  async #end(how: (pool: RunningPool) => Promise<void>): Promise<void> {
    await this.#pool.ask(how).catch((error: Error) => {
      if (this.#late?.now) throw error;
    });
  }

  get #pool(): Late<RunningPool> {
    this.#late ??= Late.of(pools.load(), ({ checkDefaults, RunningPool }) => {
      checkDefaults(this.#plan.layers);
      return new RunningPool(this.#plan, this.#hub);
    });
    return this.#late;
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
