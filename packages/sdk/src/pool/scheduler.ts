import type { JobQueue, QueuedJob, Rank, Slot } from './job-queue.ts';
import { PlacementPass } from './placement.ts';

/** The highest priority of a job; the lowest is its negative. */
export const HIGHEST_PRIORITY = 10;

/** The limits of a pool. */
export interface SchedulerRules {
  /** The maximum number of processes, including those that are starting or stopping. */
  readonly size: number;
  /** How many of them are kept ready for new keys. */
  readonly prewarm: number;
  /** How many jobs can wait, in total and per key. */
  readonly queue: number;
  readonly perKey: number;
  /** The value of one step of priority, in starts. */
  readonly ageing: number;
  /** How many starts having a session is worth: a key with jobs keeps its session for that many more. */
  readonly affinity: number;
}

/** An event of one slot. `outdated`: the process can run no further job, because its options no longer apply. */
export type SlotEvent =
  | { readonly type: 'ready' | 'settled' | 'expired' | 'outdated' | 'sick' | 'exited'; readonly slot: number }
  /** `quiet`: no background work is left. */
  | { readonly type: 'turn-ended'; readonly slot: number; readonly quiet: boolean };

/** An event of the pool. */
export type SchedulerEvent =
  | SlotEvent
  | { readonly type: 'submit'; readonly job: QueuedJob }
  /** Removes a job from its queue; a running job ends with its turn. */
  | { readonly type: 'cancel'; readonly job: string }
  | { readonly type: 'warm' | 'pause' | 'resume' | 'drain' | 'stop' };

/** Why a slot is stopped. */
export type StopReason = 'needed' | 'expired' | 'done' | 'changed' | 'sick' | 'closing';

/** How a job ended. */
export type JobEnd = 'ran' | 'lost' | 'cancelled' | 'queue-full' | 'key-full' | 'closed';

/** An action for the pool. */
export type SchedulerEffect =
  /** Start a process, for a job or ahead of one. */
  | { readonly do: 'start'; readonly slot: number; readonly job: string | null }
  /** Run a job in a slot; with `adopts` the slot was warm. */
  | { readonly do: 'assign'; readonly slot: number; readonly job: string; readonly adopts: boolean }
  /** Start the idle timeout of a slot. */
  | { readonly do: 'rest'; readonly slot: number }
  | { readonly do: 'stop'; readonly slot: number; readonly why: StopReason }
  | { readonly do: 'end'; readonly job: string; readonly how: JobEnd }
  /** Send `warm` after a delay. */
  | { readonly do: 'warm-later'; readonly why: 'adopted' | 'failed' }
  /** All jobs and processes have ended. */
  | { readonly do: 'close' };

/** Decides which job runs in which slot. It performs no I/O: it receives events and returns the actions to take. */
export class Scheduler {
  readonly rules: SchedulerRules;
  mode: 'open' | 'draining' | 'stopping' | 'closed' = 'open';
  /** No job is started. */
  paused = false;
  readonly queues: Map<string, JobQueue> = new Map();
  readonly slots: Map<number, Slot> = new Map();
  readonly #effects: SchedulerEffect[] = [];
  /** Processes can be started ahead of their jobs. */
  #mayWarm = true;
  #starts = 0;
  #order = 0;
  #lastSlot = 0;

  constructor(rules: SchedulerRules) {
    this.rules = rules;
  }

  get queued(): number {
    return [...this.queues.values()].reduce((sum, { jobs }) => sum + jobs.length, 0);
  }

  /** Applies one event. Returns the effects in the order in which they must happen. */
  step(event: SchedulerEvent): readonly SchedulerEffect[] {
    this.#apply(event);
    if (!this.paused && this.mode !== 'stopping') new PlacementPass(this).run();
    if (this.mode === 'open') this.#prewarm();
    else this.#stopUnneeded();
    if ((this.mode === 'draining' || this.mode === 'stopping') && this.queues.size === 0 && this.slots.size === 0) {
      this.mode = 'closed';
      this.#effects.push({ do: 'close' });
    }
    return this.#effects.splice(0);
  }

  /** Runs the first job of a queue in a free slot, or in a new one. */
  run(queue: JobQueue, free?: Slot): Slot {
    const slot = free ?? this.#newSlot();
    const adopts = slot.queue === null;
    const [{ id: job = '', profile = '' } = {}, ...later] = queue.jobs;
    Object.assign(slot, { phase: 'busy', queue: queue.id, once: queue.key === null, profile, job });
    this.#starts++;
    // Once a key's conversation has started, its jobs are no longer fresh.
    queue.jobs = queue.key === null ? later : later.map((next) => ({ ...next, fresh: false }));
    // The rest waits behind the queues that already wait.
    if (later.length > 0) Object.assign(queue, this.rankOf(later));
    else this.queues.delete(queue.id);
    this.#effects.push(free ? { do: 'assign', slot: slot.id, job, adopts } : { do: 'start', slot: slot.id, job });
    if (free && adopts) this.#warmLater('adopted');
    return slot;
  }

  /** Stops the process of a slot; the slot stays taken until the process has exited. */
  stop(slot: Slot, why: StopReason): void {
    if (slot.phase === 'stopping') return;
    slot.phase = 'stopping';
    this.#effects.push({ do: 'stop', slot: slot.id, why });
  }

  /**
   * The number of starts so far, plus a handicap for each step below the highest priority. This bounds how many later
   * starts can overtake a job of low priority, and makes queues of one priority take turns.
   */
  rankOf(jobs: readonly QueuedJob[]): Rank {
    const priority = jobs.reduce((highest, job) => Math.max(highest, job.priority), -HIGHEST_PRIORITY);
    return { rank: this.#starts + (HIGHEST_PRIORITY - priority) * this.rules.ageing, order: this.#order++ };
  }

  #apply(event: SchedulerEvent): void {
    switch (event.type) {
      case 'submit':
        return this.#submit(event.job);
      case 'cancel':
        return this.#cancel(event.job);
      case 'warm':
        this.#mayWarm = true;
        return;
      case 'pause':
      case 'resume':
        this.paused = event.type === 'pause';
        return;
      case 'drain':
        if (this.mode === 'open') this.mode = 'draining';
        return;
      case 'stop':
        return this.#stopAll();
      default: {
        const slot = this.slots.get(event.slot);
        if (slot) this.#applyToSlot(slot, event);
      }
    }
  }

  #submit(job: QueuedJob): void {
    const { key, priority } = job;
    const id = key === null ? `priority ${priority}` : `key ${key}`;
    const waiting = this.queues.get(id);
    if (this.mode !== 'open') return this.#end(job.id, 'closed');
    if (this.queued >= this.rules.queue) return this.#end(job.id, 'queue-full');
    if (key !== null && (waiting?.jobs.length ?? 0) >= this.rules.perKey) return this.#end(job.id, 'key-full');
    const hasSession = [...this.slots.values()].some((slot) => slot.queue === id && !slot.once);
    const { rank, order } = this.rankOf([job]);
    const queue = waiting ?? { id, key, jobs: [], rank, order };
    queue.jobs = [...queue.jobs, hasSession ? { ...job, fresh: false } : job];
    // A job can move its queue forward, but does not overtake earlier jobs of its key.
    queue.rank = Math.min(queue.rank, rank);
    this.queues.set(id, queue);
  }

  #cancel(job: string): void {
    const queue = [...this.queues.values()].find(({ jobs }) => jobs.some(({ id }) => id === job));
    if (!queue) return;
    queue.jobs = queue.jobs.filter(({ id }) => id !== job);
    if (queue.jobs.length === 0) this.queues.delete(queue.id);
    this.#end(job, 'cancelled');
  }

  #stopAll(): void {
    if (this.mode === 'closed') return;
    this.mode = 'stopping';
    for (const { jobs } of this.queues.values()) for (const { id } of jobs) this.#end(id, 'closed');
    this.queues.clear();
  }

  #applyToSlot(slot: Slot, event: SlotEvent): void {
    const { phase, job } = slot;
    switch (event.type) {
      case 'ready':
        if (phase === 'warming') slot.phase = 'warm';
        return;
      case 'turn-ended':
        if (job !== null) this.#end(job, 'ran');
        slot.job = null;
        if (phase !== 'busy') return;
        if (event.quiet) this.#rest(slot);
        else slot.phase = 'lingering';
        return;
      case 'settled':
        if (phase === 'lingering') this.#rest(slot);
        return;
      case 'expired':
        if (phase === 'idle') this.stop(slot, 'expired');
        return;
      case 'outdated':
        return this.stop(slot, 'changed');
      case 'sick':
        this.stop(slot, 'sick');
        break;
      case 'exited':
        this.slots.delete(slot.id);
        if (job !== null) this.#end(job, 'lost');
    }
    if (phase === 'warming' || phase === 'warm') this.#warmLater('failed');
  }

  #rest(slot: Slot): void {
    slot.phase = 'idle';
    slot.used = this.#order++;
    if (slot.once) this.stop(slot, 'done');
    else this.#effects.push({ do: 'rest', slot: slot.id });
  }

  #end(job: string, how: JobEnd): void {
    this.#effects.push({ do: 'end', job, how });
  }

  #warmLater(why: 'adopted' | 'failed'): void {
    this.#mayWarm = false;
    this.#effects.push({ do: 'warm-later', why });
  }

  #prewarm(): void {
    const { size, prewarm } = this.rules;
    let warm = [...this.slots.values()].filter(({ phase }) => phase === 'warm' || phase === 'warming').length;
    for (; this.#mayWarm && warm < prewarm && this.slots.size < size; warm++) {
      this.#effects.push({ do: 'start', slot: this.#newSlot().id, job: null });
    }
  }

  /** A pool that is closing keeps only slots that have a job, or queued jobs. */
  #stopUnneeded(): void {
    for (const slot of this.slots.values()) {
      const { phase, queue } = slot;
      const needed = phase === 'busy' || phase === 'lingering' || (queue !== null && this.queues.has(queue));
      if (this.mode !== 'draining' || !needed) this.stop(slot, 'closing');
    }
  }

  #newSlot(): Slot {
    const id = ++this.#lastSlot;
    const slot: Slot = { id, phase: 'warming', queue: null, once: false, profile: '', job: null, used: this.#order++ };
    this.slots.set(id, slot);
    return slot;
  }
}
