import type { QueuedJob } from '../../src/pool/job-queue.ts';
import { Scheduler, type SchedulerEffect, type SchedulerEvent, type SchedulerRules } from '../../src/pool/scheduler.ts';

/** A process in the model. */
interface Process {
  readonly slot: number;
  ready: boolean;
  stopping: boolean;
  lingering: boolean;
  resting: boolean;
  job: string | undefined;
  /** The profile it was started with; '' for a prewarmed process. */
  profile: string;
  /** The key it serves; `null` after a job without a key; undefined while it is warm. */
  key: string | null | undefined;
}

/** A job in the model. */
interface ModelJob extends QueuedJob {
  state: 'waiting' | 'running' | 'ended';
  /** Number of jobs that were started before its submission. */
  readonly startsBefore: number;
}

/**
 * Simulated processes around the scheduler, and a simple model of its guarantees: carries out each effect, records it in
 * plain lists, and throws as soon as a guarantee is broken.
 */
export class SimulatedPool {
  readonly rules: SchedulerRules;
  readonly jobs: Map<string, ModelJob> = new Map();
  readonly processes: Map<number, Process> = new Map();
  /** Jobs in the order they were started. */
  readonly started: string[] = [];
  readonly ends: { readonly job: string; readonly how: string }[] = [];
  readonly effects: SchedulerEffect[] = [];
  /** Keys whose conversation has started. */
  readonly begun: Set<string> = new Set();
  mostProcesses = 0;
  closes = 0;
  readonly #scheduler: Scheduler;

  constructor(rules: Partial<SchedulerRules> = {}) {
    this.rules = { size: 2, prewarm: 0, queue: 100, perKey: 100, ageing: 4, affinity: 4, ...rules };
    this.#scheduler = new Scheduler(this.rules);
  }

  submit(
    id: string,
    key: string | null = null,
    more: { priority?: number; fresh?: boolean; profile?: string } = {},
  ): void {
    const { priority = 0, profile = '' } = more;
    const fresh = (more.fresh ?? false) && profile === '';
    // The pool keeps the keys that have a conversation.
    const job = { id, key, priority, profile, fresh: fresh && !(key !== null && this.begun.has(key)) };
    this.jobs.set(id, { ...job, state: 'waiting', startsBefore: this.started.length });
    this.feed({ type: 'submit', job });
  }

  /** The events that processes can cause now. */
  get possible(): readonly SchedulerEvent[] {
    return [...this.processes.values()].flatMap(({ slot, ready, stopping, lingering, resting, job }) => {
      const can: SchedulerEvent[] = [{ type: 'exited', slot }];
      if (!ready && !stopping) can.push({ type: 'ready', slot });
      if (job !== undefined)
        can.push({ type: 'turn-ended', slot, quiet: true }, { type: 'turn-ended', slot, quiet: false });
      if (lingering && !stopping) can.push({ type: 'settled', slot });
      if (resting && !stopping) can.push({ type: 'expired', slot });
      if (!stopping) can.push({ type: 'sick', slot });
      return can;
    });
  }

  feed(event: SchedulerEvent): void {
    this.#apply(event);
    for (const effect of this.#scheduler.step(event)) this.#carryOut(effect);
    this.#check();
  }

  /** Ends all turns, all background work and all stopping processes. */
  finish(): void {
    for (let rounds = 0; ; rounds++) {
      const busy = [...this.processes.values()].find(({ job }) => job !== undefined);
      const stopping = [...this.processes.values()].find((process) => process.stopping);
      const lingering = [...this.processes.values()].find((process) => process.lingering && !process.stopping);
      if (busy) this.feed({ type: 'turn-ended', slot: busy.slot, quiet: true });
      else if (stopping) this.feed({ type: 'exited', slot: stopping.slot });
      else if (lingering) this.feed({ type: 'settled', slot: lingering.slot });
      else return;
      if (rounds > 10_000) throw new Error('The jobs do not end');
    }
  }

  /** The current or last key of a slot; `none` for a job without a key, `warm` before the first job. */
  keyOf(slot: number): string {
    const job = this.effects.findLast(
      (effect) => 'slot' in effect && effect.slot === slot && 'job' in effect && effect.job,
    );
    const key = job && 'job' in job ? this.jobs.get(job.job ?? '')?.key : undefined;
    return key === undefined ? 'warm' : (key ?? 'none');
  }

  /** Applies an event to the simulated processes. */
  #apply(event: SchedulerEvent): void {
    const process = 'slot' in event ? this.processes.get(event.slot) : undefined;
    if (!process) return;
    switch (event.type) {
      case 'ready':
        process.ready = true;
        return;
      case 'turn-ended':
        process.job = undefined;
        process.lingering = !event.quiet;
        return;
      case 'settled':
        process.lingering = false;
        return;
      case 'exited':
        this.processes.delete(process.slot);
    }
  }

  #carryOut(effect: SchedulerEffect): void {
    this.effects.push(effect);
    switch (effect.do) {
      case 'start': {
        must(!this.processes.has(effect.slot), 'a slot is started once');
        const empty = { slot: effect.slot, ready: false, stopping: false, lingering: false, resting: false };
        this.processes.set(effect.slot, {
          ...empty,
          profile: this.jobs.get(effect.job ?? '')?.profile ?? '',
          job: undefined,
          key: undefined,
        });
        this.mostProcesses = Math.max(this.mostProcesses, this.processes.size);
        if (effect.job !== null) this.#run(effect.job, effect.slot);
        return;
      }
      case 'assign': {
        const isWarm = this.processes.get(effect.slot)?.key === undefined;
        must(isWarm === effect.adopts, 'only an unused session is adopted');
        if (effect.adopts) must(this.jobs.get(effect.job)?.fresh === true, 'only a fresh job adopts');
        this.#run(effect.job, effect.slot);
        return;
      }
      case 'rest':
        must(this.#process(effect.slot).key !== null, 'a session of a job without a key is not kept');
        this.#process(effect.slot).resting = true;
        return;
      case 'stop':
        must(!this.#process(effect.slot).stopping, 'a slot is stopped once');
        this.#process(effect.slot).stopping = true;
        return;
      case 'end': {
        const job = this.jobs.get(effect.job);
        must(job !== undefined && job.state !== 'ended', `${effect.job} ends once`);
        if (job) job.state = 'ended';
        this.ends.push({ job: effect.job, how: effect.how });
        return;
      }
      case 'warm-later':
        return;
      case 'close':
        this.closes++;
    }
  }

  #run(id: string, slot: number): void {
    const job = this.jobs.get(id);
    const process = this.#process(slot);
    must(job?.state === 'waiting', `${id} is queued when it starts`);
    must(!process.stopping && process.job === undefined, 'a job gets a free slot');
    must(process.key === undefined || (process.key !== null && process.key === job?.key), 'a session serves one key');
    if (!job) return;
    must(process.profile === job.profile, 'a job runs in a process with its profile');
    if (job.key !== null) {
      const before = [...this.jobs.values()].filter(({ key }) => key === job.key);
      const earlier = before.slice(
        0,
        before.findIndex((other) => other.id === id),
      );
      must(
        earlier.every(({ state }) => state === 'ended'),
        `${id} starts after the earlier jobs of its key`,
      );
      const elsewhere = [...this.processes.values()].some((other) => other.key === job.key && other.slot !== slot);
      must(!elsewhere, `${String(job.key)} has one session at a time`);
      if (process.key === undefined && this.begun.has(job.key)) must(this.#isCold(slot), 'a conversation is resumed');
      this.begun.add(job.key);
    }
    job.state = 'running';
    process.key = job.key;
    process.job = id;
    process.resting = false;
    this.started.push(id);
  }

  /** True if the slot was started for a job, not in advance. */
  #isCold(slot: number): boolean {
    return this.effects.some((effect) => effect.do === 'start' && effect.slot === slot && effect.job !== null);
  }

  #check(): void {
    const { size, queue, perKey } = this.rules;
    const waiting = [...this.jobs.values()].filter(({ state }) => state === 'waiting');
    must(this.processes.size <= size, 'there are at most `size` processes');
    must(
      waiting.length <= queue && waiting.length === this.#scheduler.queued,
      'the queue is bounded, and its length is known',
    );
    for (const { key } of waiting) {
      const ofKey = waiting.filter((job) => job.key === key);
      must(key === null || ofKey.length <= perKey, 'the queue of a key is bounded');
    }
    must(sameSlots(this.processes, this.#scheduler.slots), 'the scheduler lists all processes');
    const { mode, paused, slots } = this.#scheduler;
    const couldRun = waiting.some(({ key }) => ![...this.processes.values()].some((process) => process.key === key));
    const stuck = mode === 'open' && !paused && couldRun && slots.size < size;
    must(!stuck, 'no slot stays free while a job could run');
  }

  #process(slot: number): Process {
    const process = this.processes.get(slot);
    if (!process) throw new Error(`Slot ${slot} has no process`);
    return process;
  }
}

function sameSlots(processes: ReadonlyMap<number, unknown>, slots: ReadonlyMap<number, unknown>): boolean {
  return processes.size === slots.size && [...processes.keys()].every((slot) => slots.has(slot));
}

function must(holds: boolean, guarantee: string): void {
  if (!holds) throw new Error(`Not kept: ${guarantee}`);
}
