import type { JobQueue, QueuedJob, Rank, Slot } from './job-queue.ts';

/** A queue that waits in one pass. */
interface Candidate extends Rank {
  readonly queue: JobQueue;
  /** How many slots it has reserved in this pass. */
  reserved: number;
}

/** The state that a pass reads and changes. */
interface Places {
  readonly rules: { readonly size: number; readonly affinity: number };
  readonly queues: ReadonlyMap<string, JobQueue>;
  readonly slots: ReadonlyMap<number, Slot>;
  /** Runs the first job of a queue in a free slot, or in a new one. */
  run(queue: JobQueue, free?: Slot): Slot;
  stop(slot: Slot, why: 'needed' | 'changed'): void;
  rankOf(jobs: readonly QueuedJob[]): Rank;
}

/** Places queued jobs in slots, in the order of their ranks, and makes room for the others. */
export class PlacementPass {
  readonly #scheduler: Places;
  readonly #candidates = new Map<string, Candidate>();
  /** The slot of each key that has one, by the id of the key's queue. */
  readonly #slotOf = new Map<string, Slot>();
  /** Lingering slots that another queue has reserved. */
  readonly #reserved = new Set<Slot>();
  /** How many stopping slots are not reserved yet. */
  #stopping: number;

  constructor(scheduler: Places) {
    this.#scheduler = scheduler;
    this.#stopping = this.#slots.filter(({ phase }) => phase === 'stopping').length;
    for (const slot of this.#slots) if (slot.queue !== null && !slot.once) this.#slotOf.set(slot.queue, slot);
    for (const queue of scheduler.queues.values()) this.#enter(queue);
  }

  run(): void {
    for (let next = this.#first(); next; next = this.#first()) this.#serve(next);
  }

  get #slots(): Slot[] {
    return [...this.#scheduler.slots.values()];
  }

  /** Makes a queue a candidate, unless its key's session is busy or stopping: a key runs one job at a time. */
  #enter(queue: JobQueue): void {
    const own = this.#slotOf.get(queue.id);
    if (own?.phase === 'busy' || own?.phase === 'stopping') return;
    const rank = queue.rank - (own ? this.#scheduler.rules.affinity : 0);
    this.#candidates.set(queue.id, { queue, reserved: 0, rank, order: queue.order });
  }

  #first(): Candidate | undefined {
    let first: Candidate | undefined;
    for (const next of this.#candidates.values()) {
      if (!first || next.rank < first.rank || (next.rank === first.rank && next.order < first.order)) first = next;
    }
    return first;
  }

  #serve(candidate: Candidate): void {
    const scheduler = this.#scheduler;
    const { queue, reserved } = candidate;
    const [job] = queue.jobs;
    const own = this.#slotOf.get(queue.id);
    if (reserved > 0) return this.#reserve(candidate);
    if (own) {
      // Another queue may have taken the slot in this pass.
      const taken = own.phase === 'stopping' || this.#reserved.has(own);
      if (!taken && job?.profile === own.profile) return this.#run(queue, own);
      this.#candidates.delete(queue.id);
      // The job needs another process, which resumes the conversation once this one has exited.
      if (!taken && own.phase === 'idle') scheduler.stop(own, 'changed');
      return;
    }
    const warm = job?.fresh ? this.#warmSlot() : undefined;
    if (!warm && scheduler.slots.size >= scheduler.rules.size) return this.#reserve(candidate);
    this.#run(queue, warm);
  }

  #run(queue: JobQueue, free: Slot | undefined): void {
    const slot = this.#scheduler.run(queue, free);
    if (queue.key !== null) this.#slotOf.set(queue.id, slot);
    this.#candidates.delete(queue.id);
    if (queue.jobs.length > 0) this.#enter(queue);
  }

  #warmSlot(): Slot | undefined {
    const slots = this.#slots;
    return slots.find(({ phase }) => phase === 'warm') ?? slots.find(({ phase }) => phase === 'warming');
  }

  /** No slot is free: reserves one that will be. A queue without a key can use several and stays a candidate. */
  #reserve(candidate: Candidate): void {
    const { queue } = candidate;
    candidate.reserved++;
    if (!this.#makeRoom() || queue.key !== null || candidate.reserved >= queue.jobs.length) {
      this.#candidates.delete(queue.id);
      return;
    }
    const { rank, order } = this.#scheduler.rankOf(queue.jobs);
    // The next job of the queue starts one start later.
    Object.assign(candidate, { rank: rank + 1, order });
  }

  #makeRoom(): boolean {
    if (this.#stopping > 0) {
      this.#stopping--;
      return true;
    }
    const victim = this.#slotToEvict();
    if (victim) {
      this.#scheduler.stop(victim, 'needed');
      return true;
    }
    const lingering = this.#slots.find((slot) => slot.phase === 'lingering' && !this.#reserved.has(slot));
    if (lingering) this.#reserved.add(lingering);
    return lingering !== undefined;
  }

  /** Prefers idle slots without queued jobs, then idle ones, then warm ones; among equals the least recently used. */
  #slotToEvict(): Slot | undefined {
    const cost = ({ phase, queue }: Slot): number => {
      if (phase === 'idle') return queue !== null && this.#scheduler.queues.has(queue) ? 1 : 0;
      return phase === 'warm' ? 2 : phase === 'warming' ? 3 : Number.POSITIVE_INFINITY;
    };
    const [cheapest] = this.#slots
      .filter((slot) => cost(slot) < Number.POSITIVE_INFINITY)
      .sort((one, other) => cost(one) - cost(other) || one.used - other.used);
    return cheapest;
  }
}
