import { NoSuchPermissionError } from '../errors/control.ts';
import { OptionsError } from '../errors/options.ts';
import { DuplicateJobError } from '../errors/pool.ts';
import type { PermissionDecision } from '../hooks/outcome.ts';
import { checkDrain } from './check-drain.ts';
import { checkJob, type JobPlan } from './check-job.ts';
import { Conversations } from './conversations.ts';
import type { EventHub } from './event-hub.ts';
import { Occupant } from './occupant.ts';
import type { PoolPlan } from './options.ts';
import { type Ending, failedJob, outcomeOfJob } from './outcomes.ts';
import { Pause } from './pause.ts';
import type { DrainOptions, PendingPermission, PoolStats } from './pool.ts';
import type { JobHandle } from './pool-job.ts';
import {
  type JobEnd,
  newScheduler,
  type SchedulerEffect,
  type SchedulerEvent,
  type SchedulerState,
  step,
} from './scheduler.ts';
import { keepsNothing, ownOptions } from './session-layers.ts';
import { Tally } from './tally.ts';
import { WarmClock } from './warm-clock.ts';

/** A pool at work: feeds the scheduler with what happens and does what it says. */
export class RunningPool {
  readonly #plan: PoolPlan;
  readonly #hub: EventHub;
  readonly #tally = new Tally();
  readonly #conversations: Conversations;
  readonly #pause: Pause;
  readonly #warmClock: WarmClock;
  readonly #checkup: NodeJS.Timeout;
  readonly #jobs = new Map<string, JobHandle>();
  readonly #endings = new Map<string, Ending>();
  readonly #occupants = new Map<number, Occupant>();
  readonly #closed: Promise<void>;
  #resolveClosed: () => void = () => {};
  #state: SchedulerState;
  #events: SchedulerEvent[] = [];
  #feeding = false;

  constructor(plan: PoolPlan, hub: EventHub) {
    this.#plan = plan;
    this.#hub = hub;
    hub.first = (event) => {
      this.#tally.note(event);
      if (event.type === 'session-started' && event.prewarmed) this.#warmClock.succeeded();
    };
    const { size, prewarm, queue, perKey, maxKeys } = plan;
    this.#state = newScheduler({ size, prewarm, queue, perKey, ageing: AGEING * size, affinity: AFFINITY * size });
    this.#conversations = new Conversations(maxKeys, (key, sessionId) =>
      this.#hub.emit({ type: 'key-forgotten', key, sessionId, why: 'too-many-keys' }),
    );
    this.#pause = new Pause(this.#hub, (paused) => this.feed({ type: paused ? 'pause' : 'resume' }));
    this.#warmClock = new WarmClock(() => this.feed({ type: 'warm' }));
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#checkup = setInterval(() => this.#checkAll(), plan.healthCheckMs);
    this.#checkup.unref();
    this.feed({ type: 'warm' });
  }

  submit(job: JobHandle): void {
    if (this.#jobs.has(job.id)) return refuse(job, new DuplicateJobError(job.id));
    const plan = checked(job);
    if (plan instanceof OptionsError) return refuse(job, plan);
    job.plan = plan;
    const { id, priority } = job;
    const { profile } = plan;
    const key = job.key ?? null;
    this.#jobs.set(id, job);
    this.#hub.emit({ type: 'job-queued', job: id, key, priority });
    this.feed({ type: 'submit', job: { id, key, priority, profile, fresh: this.#isFresh(job) } });
  }

  /** `only` that job: it may be over, or refused because another has its id. */
  cancel(id: string, reason: unknown, by: 'cancel' | 'signal', only?: object): boolean {
    const job = this.#jobs.get(id);
    if (!job || (only && only !== job)) return false;
    job.abort(by, reason);
    this.feed({ type: 'cancel', job: id });
    return true;
  }

  stats(): PoolStats {
    const { mode, rules, waiting, slots } = this.#state;
    const count = (...phases: string[]): number =>
      [...slots.values()].filter(({ phase }) => phases.includes(phase)).length;
    return {
      state: mode,
      size: rules.size,
      queued: waiting,
      running: [...slots.values()].filter(({ job }) => job !== null).length,
      sessions: {
        busy: count('busy', 'lingering'),
        idle: count('idle'),
        warm: count('warm'),
        starting: count('warming'),
        stopping: count('stopping'),
      },
      keys: this.#conversations.size,
      pausedUntil: this.#pause.until,
      ...this.#tally.sum(),
    };
  }

  pendingPermissions(): readonly PendingPermission[] {
    return [...this.#occupants.values()].flatMap((occupant) => occupant.pendingPermissions());
  }

  /** @throws NoSuchPermissionError */
  async answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    const [, slot, request = ''] = /^(\d+):(.*)$/s.exec(id) ?? [];
    const occupant = this.#occupants.get(Number(slot));
    if (!occupant) throw new NoSuchPermissionError(id);
    await occupant.answerPermission(request, answer);
  }

  /** @throws OptionsError */
  async drain(options: DrainOptions = {}): Promise<void> {
    const { timeoutMs } = checkDrain(options);
    if (this.#state.mode === 'open') this.#hub.emit({ type: 'draining' });
    this.feed({ type: 'drain' });
    // Of several drains the one whose time is over first ends the pool.
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => void this.stop('drain'), timeoutMs);
    await this.#closed;
    clearTimeout(timer);
  }

  stop(by: 'drain' | 'stop' = 'stop'): Promise<void> {
    const { mode } = this.#state;
    if (mode === 'open' || mode === 'draining') {
      for (const job of this.#jobs.values()) job.endWithPool(by);
      this.#hub.emit({ type: 'stopping', by });
    }
    this.feed({ type: 'stop' });
    return this.#closed;
  }

  /** What happens while an event is dealt with is dealt with after it. */
  feed(event: SchedulerEvent): void {
    this.#events.push(event);
    if (this.#feeding) return;
    this.#feeding = true;
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) {
        const { state, effects } = step(this.#state, next);
        this.#state = state;
        for (const effect of effects) this.#obey(effect);
      }
    } finally {
      this.#feeding = false;
    }
  }

  #obey(effect: SchedulerEffect): void {
    switch (effect.do) {
      case 'start':
        return this.#start(effect.slot, effect.job);
      case 'assign':
        return this.#assign(effect.slot, effect.job, effect.adopts);
      case 'rest':
        return this.#occupants.get(effect.slot)?.rest(true);
      case 'stop':
        return this.#occupants.get(effect.slot)?.stop(effect.why);
      case 'end':
        return this.#end(effect.job, effect.how);
      case 'warm-later':
        return this.#warmClock.set(effect.why);
      case 'close':
        return this.#close();
    }
  }

  #start(slot: number, jobId: string | null): void {
    const job = jobId === null ? undefined : this.#jobs.get(jobId);
    const occupant = new Occupant(slot, job, {
      plan: this.#plan,
      conversations: this.#conversations,
      hub: this.#hub,
      feed: (event) => this.feed(event),
      ended: ({ id }, ending) => this.#endings.set(id, ending),
      seen: (message) => this.#pause.seen(message),
    });
    this.#occupants.set(slot, occupant);
    void occupant.live(job).then(() => {
      this.#occupants.delete(slot);
      this.#hub.emit({ type: 'session-ended', slot, key: occupant.key });
      this.feed({ type: 'gone', slot });
    });
  }

  #assign(slot: number, jobId: string, adopts: boolean): void {
    const job = this.#jobs.get(jobId);
    if (!job) return;
    if (adopts) this.#hub.emit({ type: 'session-adopted', slot, key: job.key ?? null, job: jobId });
    this.#occupants.get(slot)?.take(job);
  }

  #end(id: string, how: JobEnd): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    const { outcome, failure } = outcomeOfJob(job, how, this.#endings.get(id), this.#plan);
    this.#jobs.delete(id);
    this.#endings.delete(id);
    if (outcome.status === 'finished') this.#pause.seen(outcome.result);
    this.#hub.emit({ type: 'job-ended', job: id, key: job.key ?? null, outcome });
    job.finish(outcome, failure);
  }

  /** Whether any session will do: its key is new and has nothing of its own. */
  #isFresh(job: JobHandle): boolean {
    const key = job.key ?? null;
    if (this.#plan.prewarm === 0 || job.resume !== undefined || job.plan.profile !== '') return false;
    if (key !== null && (this.#conversations.get(key) || keepsNothing(this.#plan.layers))) return false;
    try {
      return ownOptions(this.#plan.session, key) === undefined;
    } catch {
      // Whoever starts its session will hear of it.
      return false;
    }
  }

  #checkAll(): void {
    for (const occupant of this.#occupants.values()) void occupant.check();
  }

  #close(): void {
    clearInterval(this.#checkup);
    this.#pause.end();
    this.#warmClock.end();
    this.#hub.emit({ type: 'closed' });
    this.#hub.end();
    this.#resolveClosed();
  }
}

/** What one step of priority, and what having a session, is worth: starts for each slot of the pool. */
const AGEING = 4;
const AFFINITY = 4;

function checked(job: JobHandle): JobPlan | OptionsError {
  try {
    return checkJob(job);
  } catch (error) {
    if (error instanceof OptionsError) return error;
    throw error;
  }
}

/** A job the pool did not take; it has no events, for its id may be another's. */
function refuse(job: JobHandle, error: Error): void {
  job.finish(failedJob(error), error);
}
