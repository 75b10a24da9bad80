import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PendingPermission } from '../callbacks/permission-request.ts';
import { errorOf } from '../errors/base.ts';
import type { OptionsError } from '../errors/options.ts';
import { DuplicateJobError, NoSuchPermissionError, PoolClosedError, PoolQueueFullError } from '../errors/session.ts';
import type { OptionLayer } from '../options/option-layer.ts';
import { Audience } from '../report/audience.ts';
import { joinObservers } from '../report/observers.ts';
import type { ObservedRun, ObservedSlot, RunObserver } from '../report/run-observer.ts';
import { safely } from '../report/safely.ts';
import { PauseClock } from '../restart/pause-clock.ts';
import { defaultRateLimitPolicy } from '../restart/policy.ts';
import type { Pause } from '../session/session.ts';
import type { Gap } from '../stream/newest-items.ts';
import { abortError, currentContext, onAbort } from '../timing/caller.ts';
import { Deferred } from '../timing/timers.ts';
import type { Message } from '../wire/messages.ts';
import { checkJob, type GivenJob, readJob } from './check-job.ts';
import { JobHandle } from './job.ts';
import type { JobOutcome } from './job-outcome.ts';
import type { SlotPhase } from './job-queue.ts';
import { KeyStates } from './key-states.ts';
import {
  checkDrain,
  defaultsProblem,
  isNotPersisted,
  ownOptions,
  type PoolOptions,
  type PoolPlan,
  planPool,
} from './options.ts';
import type {
  DrainOptions,
  JobRunOptions,
  JobSpec,
  JobSubmitOptions,
  PlainJobSpec,
  Pool,
  PoolJob,
  WaitingJob,
} from './pool.ts';
import type { PoolEvent, PoolEventBody } from './pool-events.ts';
import type { PoolStats } from './pool-stats.ts';
import { PooledSession } from './pooled-session.ts';
import { type JobEnd, Scheduler, type SchedulerEffect, type SchedulerEvent } from './scheduler.ts';
import { PoolTally } from './tally.ts';

/**
 * Creates a pool. No process is started before the first job, unless `prewarm` is set. If the options of its sessions
 * are invalid, `ready` rejects and every job fails.
 * @throws OptionsError if the pool's own options are invalid
 */
export function createPool<T = unknown>(options: PoolOptions<T>): Pool<T> {
  return createPoolWith(options, []);
}

/** The same with layers of session options below those of the pool, the strongest first. @throws OptionsError */
export function createPoolWith<T>(options: PoolOptions<T>, layers: readonly OptionLayer[]): Pool<T> {
  return new SessionPool(planPool(options, layers));
}

const pools = new WeakMap<ObservedSlot, WeakRef<Pool>>();

/** The pool that an observed session belongs to; `undefined` if it belongs to none. */
export function poolOf(run: ObservedRun): Pool | undefined {
  return run.pool && pools.get(run.pool)?.deref();
}

/** The value of one step of priority, and of having a session, in starts; multiplied by the size of the pool. */
const AGEING = 4;
const AFFINITY = 4;

/** Maximum unread bytes of a slow reader of `events()`. */
const UNREAD_BYTES = 4 * 1024 * 1024;

/** After an adoption: starting the next process immediately would slow down the job that has just started. */
const WARM_AFTER_ADOPTION_MS = 1_000;
/** After a failure: doubles with each further one. */
const WARM_AFTER_FAILURE_MS = 1_000;
const LONGEST_WARM_DELAY_MS = 60_000;

/** Feeds the scheduler with events and carries out its effects. */
class SessionPool<T> implements Pool<T> {
  readonly ready: Promise<void>;
  readonly #plan: PoolPlan;
  readonly #audience: Audience<PoolEventBody>;
  readonly #tally = new PoolTally();
  readonly #keys: KeyStates;
  /** One refused job pauses all. */
  readonly #pause: PauseClock;
  #prewarmTimer: NodeJS.Timeout | undefined;
  #prewarmFailures = 0;
  readonly #healthChecks: NodeJS.Timeout | undefined;
  readonly #jobs = new Map<string, JobHandle>();
  readonly #sessions = new Map<number, PooledSession>();
  readonly #observers = new Set<RunObserver>();
  /** The async context in which the pool was created. */
  readonly #inContext = currentContext();
  readonly #closed = new Deferred<void>();
  /** Why no session can be started, and every job is refused. */
  readonly #refusal: OptionsError | undefined;
  readonly #scheduler: Scheduler;
  readonly #schedulerEvents: SchedulerEvent[] = [];
  #dispatching = false;

  constructor(plan: PoolPlan<T>) {
    const { size, prewarm, queue, perKey, maxKeys } = plan;
    this.#plan = plan;
    this.#audience = new Audience<PoolEventBody>({ onEvent: plan.onEvent }, { unreadBytes: UNREAD_BYTES });
    this.#scheduler = new Scheduler({ size, prewarm, queue, perKey, ageing: AGEING * size, affinity: AFFINITY * size });
    this.#keys = new KeyStates(maxKeys, (key, sessionId) =>
      this.#emit({ type: 'key-forgotten', key, sessionId, why: 'too-many-keys' }),
    );
    this.#pause = new PauseClock(defaultRateLimitPolicy, (pause) => this.#onPause(pause), true);
    this.#refusal = defaultsProblem(plan);
    this.ready = this.#refusal ? Promise.reject(this.#refusal) : Promise.resolve();
    // A caller that does not await `ready` gets the problem from every job.
    this.ready.catch(() => {});
    if (this.#refusal) return;
    this.#healthChecks = setInterval(() => {
      for (const session of this.#sessions.values()) void session.check();
    }, plan.healthCheckMs).unref();
    this.#dispatch({ type: 'warm' });
  }

  submit(spec: PlainJobSpec, extras?: JobSubmitOptions): PoolJob<T>;
  submit<O>(spec: JobSpec<O>, extras?: JobSubmitOptions): PoolJob<O>;
  submit(spec: JobSpec, extras: JobSubmitOptions = {}): PoolJob {
    return this.#submit(readJob(spec, extras));
  }

  async run(spec: JobSpec, options: JobRunOptions = {}): Promise<JobOutcome> {
    const given = readJob(spec, options ?? {});
    const { onMessage, ...extras } = given.extras;
    const job = this.#submit({ ...given, extras });
    if (onMessage) await readAll(job, onMessage);
    return job.outcome;
  }

  async cancel(jobId: string, reason?: unknown): Promise<boolean> {
    return this.#cancel(this.#jobs.get(jobId), 'cancel', reason);
  }

  events(): AsyncIterableIterator<PoolEvent | Gap> {
    return this.#audience.events(this);
  }

  observe(observer: RunObserver): () => void {
    const added = joinObservers(this.#observers, observer);
    const ends = [...this.#sessions.values()].map((session) => session.observe(added.observer));
    return () => {
      added.end();
      for (const end of ends) end();
    };
  }

  stats(): PoolStats {
    const { mode, rules, queued } = this.#scheduler;
    const slots = [...this.#scheduler.slots.values()];
    const count = (...phases: SlotPhase[]): number => slots.filter(({ phase }) => phases.includes(phase)).length;
    return {
      state: mode,
      size: rules.size,
      queued,
      running: slots.filter(({ job }) => job !== null).length,
      sessions: {
        busy: count('busy', 'lingering'),
        idle: count('idle'),
        warm: count('warm'),
        starting: count('warming'),
        stopping: count('stopping'),
      },
      keys: this.#keys.size,
      pausedUntil: this.#pause.current?.until ?? null,
      ...this.#tally.counts(),
    };
  }

  waiting(): readonly WaitingJob[] {
    const ids = new Set([...this.#scheduler.queues.values()].flatMap(({ jobs }) => jobs.map(({ id }) => id)));
    const jobs = [...this.#jobs.values()].filter(({ id }) => ids.has(id));
    return jobs.map(({ id, key = null, priority, prompt, submittedAt }) => ({
      id,
      key,
      priority,
      prompt,
      submittedAt,
    }));
  }

  pendingPermissions(): readonly PendingPermission[] {
    return [...this.#sessions.values()].flatMap((session) => session.pendingPermissions());
  }

  async answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    const [, slot, request = ''] = /^(\d+):(.*)$/s.exec(id) ?? [];
    const session = this.#sessions.get(Number(slot));
    if (!session) throw new NoSuchPermissionError(id);
    await session.answerPermission(request, answer);
  }

  async drain(options: DrainOptions = {}): Promise<void> {
    const { timeoutMs } = checkDrain(options);
    if (this.#scheduler.mode === 'open') this.#emit({ type: 'draining' });
    this.#dispatch({ type: 'drain' });
    // Of several drains, the first to time out stops the pool.
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.#stop('drain'), timeoutMs);
    await this.#closed.promise;
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    this.#stop('close');
    await this.#closed.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #submit({ spec, extras, problem }: GivenJob): PoolJob {
    const job: JobHandle = new JobHandle(spec, async (reason) => this.#cancel(job, 'cancel', reason));
    if (problem) job.finish(problem);
    else this.#accept(job, spec, extras);
    if (this.#jobs.get(job.id) === job) this.#cancelWith(extras.signal, job);
    return job;
  }

  /** Queues a job, or fails it. A refused job has no events, because another job may have its id. */
  #accept(job: JobHandle, spec: JobSpec, extras: JobSubmitOptions): void {
    try {
      if (this.#refusal) throw this.#refusal;
      if (this.#jobs.has(job.id)) throw new DuplicateJobError(job.id);
      job.plan = checkJob(job, spec, extras);
    } catch (error) {
      return void job.finish(errorOf(error));
    }
    const { id, priority, plan } = job;
    const key = job.key ?? null;
    this.#jobs.set(id, job);
    this.#emit({ type: 'job-queued', job: id, key, priority });
    const fresh = this.#canAdopt(job);
    this.#dispatch({ type: 'submit', job: { id, key, priority, profile: plan.profile, fresh } });
  }

  /** The job was accepted: its signal has been checked. */
  #cancelWith(signal: AbortSignal | undefined, job: JobHandle): void {
    const abort = (): void => void this.#cancel(job, 'signal', abortError(signal).cause);
    void job.outcome.then(onAbort(signal, abort));
    if (signal?.aborted) abort();
  }

  /** Does nothing for a job that has ended or was refused, even if another job has its id. */
  #cancel(job: JobHandle | undefined, by: 'cancel' | 'signal', reason: unknown): boolean {
    if (!job || this.#jobs.get(job.id) !== job) return false;
    job.abort(by, reason);
    this.#dispatch({ type: 'cancel', job: job.id });
    return true;
  }

  #stop(by: 'drain' | 'close'): void {
    const { mode } = this.#scheduler;
    if (mode === 'open' || mode === 'draining') {
      for (const job of this.#jobs.values()) job.cancelledBy ??= by;
      this.#emit({ type: 'stopping', by });
    }
    this.#dispatch({ type: 'stop' });
  }

  /** Events that effects cause are handled after the current one. */
  #dispatch(event: SchedulerEvent): void {
    this.#schedulerEvents.push(event);
    if (this.#dispatching) return;
    this.#dispatching = true;
    try {
      for (let next = this.#schedulerEvents.shift(); next; next = this.#schedulerEvents.shift()) {
        for (const effect of this.#scheduler.step(next)) this.#carryOut(effect);
      }
    } finally {
      this.#dispatching = false;
    }
  }

  #carryOut(effect: SchedulerEffect): void {
    switch (effect.do) {
      case 'start':
        return this.#startSession(effect.slot, effect.job);
      case 'assign':
        return this.#assign(effect.slot, effect.job, effect.adopts);
      case 'rest':
        return this.#sessions.get(effect.slot)?.rest();
      case 'stop':
        return this.#sessions.get(effect.slot)?.stop(effect.why);
      case 'end':
        return this.#endJob(effect.job, effect.how);
      case 'warm-later':
        return this.#warmLater(effect.why);
      case 'close':
        return this.#finish();
    }
  }

  #emit(event: PoolEventBody): void {
    this.#tally.count(event);
    this.#audience.event(event);
  }

  #startSession(slot: number, jobId: string | null): void {
    const job = jobId === null ? undefined : this.#jobs.get(jobId);
    const session = new PooledSession(slot, job === undefined, {
      plan: this.#plan,
      keys: this.#keys,
      emit: (event) => this.#emit(event),
      dispatch: (event) => this.#dispatch(event),
      pause: this.#pause,
      observers: this.#observers,
      inContext: this.#inContext,
      prewarmed: () => {
        this.#prewarmFailures = 0;
      },
    });
    pools.set(session.place, new WeakRef(this));
    this.#sessions.set(slot, session);
    void session.run(job).then(() => {
      this.#sessions.delete(slot);
      this.#dispatch({ type: 'exited', slot });
    });
  }

  #assign(slot: number, jobId: string, adopts: boolean): void {
    const job = this.#jobs.get(jobId);
    if (!job) return;
    if (adopts) this.#emit({ type: 'session-adopted', slot, key: job.key ?? null, job: jobId });
    this.#sessions.get(slot)?.take(job);
  }

  #endJob(id: string, how: JobEnd): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    this.#jobs.delete(id);
    const outcome = job.finish(this.#refusalOf(job, how));
    this.#emit({ type: 'job-ended', job: id, key: job.key ?? null, outcome });
  }

  #refusalOf(job: JobHandle, how: JobEnd): Error | undefined {
    const { queue, perKey } = this.#plan;
    if (how === 'queue-full') return new PoolQueueFullError(queue);
    if (how === 'key-full') return new PoolQueueFullError(perKey, job.key);
    return how === 'closed' ? new PoolClosedError() : undefined;
  }

  /** Whether the job can run in a prewarmed session: its key has neither a conversation nor its own options. */
  #canAdopt(job: JobHandle): boolean {
    const { prewarm, layers, session } = this.#plan;
    const key = job.key ?? null;
    if (prewarm === 0 || job.resume !== undefined || job.plan.profile !== '') return false;
    if (key !== null && (this.#keys.get(key) || this.#keys.spentUsd(key) > 0 || isNotPersisted(layers))) return false;
    try {
      return ownOptions(session, key) === undefined;
    } catch {
      // The start of its session reports the error.
      return false;
    }
  }

  #onPause(pause: Pause | undefined): void {
    this.#emit(pause ? { type: 'paused', ...pause } : { type: 'resumed' });
    this.#dispatch({ type: pause ? 'pause' : 'resume' });
  }

  #warmLater(why: 'adopted' | 'failed'): void {
    const afterFailure = (): number => WARM_AFTER_FAILURE_MS * 2 ** this.#prewarmFailures++;
    const ms = why === 'adopted' ? WARM_AFTER_ADOPTION_MS : Math.min(afterFailure(), LONGEST_WARM_DELAY_MS);
    clearTimeout(this.#prewarmTimer);
    // Prewarming alone does not keep the host process alive.
    this.#prewarmTimer = setTimeout(() => this.#dispatch({ type: 'warm' }), ms).unref();
  }

  #finish(): void {
    clearInterval(this.#healthChecks);
    this.#pause.end();
    clearTimeout(this.#prewarmTimer);
    this.#emit({ type: 'closed' });
    this.#audience.end();
    this.#closed.resolve();
  }
}

/** Reads all messages. Failures are in the job's outcome, and a callback that throws changes nothing. */
async function readAll(job: PoolJob, onMessage: (message: Message) => void): Promise<void> {
  try {
    for await (const message of job) safely(() => onMessage(message));
  } catch {
    // The outcome reports it.
  }
}
