import { type JobQueue, type QueueClock, rankOf, withoutFirst } from './job-queues.ts';
import type { Draft, Slot } from './scheduler.ts';
import { stopSlot } from './slots.ts';

/** Places queued jobs in slots, in the order of their ranks; then stops or prewarms processes. */
export function place(draft: Draft): void {
  if (!draft.paused && draft.mode !== 'stopping') new PlacementPass(draft).run();
  if (draft.mode !== 'open') stopUnneeded(draft);
  else prewarm(draft);
  if ((draft.mode === 'draining' || draft.mode === 'stopping') && draft.queued === 0 && draft.slots.size === 0) {
    draft.mode = 'closed';
    draft.effects.push({ do: 'close' });
  }
}

/** A queue that waits in one pass. */
interface Candidate {
  readonly queue: JobQueue;
  /** How many slots it has reserved in this pass. */
  readonly reserved: number;
  readonly rank: number;
  readonly order: number;
}

class PlacementPass {
  readonly #draft: Draft;
  readonly #candidates = new Map<string, Candidate>();
  /** The slot of each key that has one, by the id of the key's queue. */
  readonly #slotOfQueue = new Map<string, number>();
  /** Lingering slots that another queue has reserved. */
  readonly #reserved = new Set<number>();
  /** How many stopping slots are not reserved yet. */
  #stopping: number;

  constructor(draft: Draft) {
    this.#draft = draft;
    this.#stopping = [...draft.slots.values()].filter(({ phase }) => phase === 'stopping').length;
    for (const { id, queue, once } of draft.slots.values()) {
      if (queue !== null && !once) this.#slotOfQueue.set(queue, id);
    }
    for (const queue of draft.queues.values()) this.#enter(queue);
  }

  run(): void {
    for (let next = this.#first(); next; next = this.#first()) this.#serve(next);
  }

  #serve(candidate: Candidate): void {
    const draft = this.#draft;
    const { queue, reserved } = candidate;
    const [job] = queue.jobs;
    const own = this.#ownSlot(queue);
    if (reserved > 0) return this.#reserve(candidate);
    if (own) {
      // Another queue may have taken the slot in this pass.
      const taken = own.phase === 'stopping' || this.#reserved.has(own.id);
      if (!taken && job?.profile === own.profile) return this.#assign(queue, own, false);
      this.#candidates.delete(queue.id);
      // The job needs another process, which resumes the conversation once this one has exited.
      if (!taken && own.phase === 'idle') stopSlot(draft, own, 'changed');
      return;
    }
    const warm = job?.fresh ? warmSlot(draft) : undefined;
    if (warm) return this.#assign(queue, warm, true);
    if (draft.slots.size >= draft.rules.size) return this.#reserve(candidate);
    const slot = newSlot(draft);
    draft.effects.push({ do: 'start', slot: slot.id, job: this.#begin(queue, slot) });
  }

  #assign(queue: JobQueue, slot: Slot, adopts: boolean): void {
    const draft = this.#draft;
    draft.effects.push({ do: 'assign', slot: slot.id, job: this.#begin(queue, slot), adopts });
    if (!adopts) return;
    draft.mayWarm = false;
    draft.effects.push({ do: 'warm-later', why: 'adopted' });
  }

  /** Moves the first job of a queue to a slot. */
  #begin(queue: JobQueue, slot: Slot): string {
    const draft = this.#draft;
    const { id: job = '', profile = '' } = queue.jobs[0] ?? {};
    draft.starts++;
    draft.queued--;
    const left = withoutFirst(queue, clockOf(draft));
    if (left) draft.queues.set(queue.id, left);
    else draft.queues.delete(queue.id);
    draft.slots.set(slot.id, { ...slot, phase: 'busy', queue: queue.id, once: queue.key === null, profile, job });
    if (queue.key !== null) this.#slotOfQueue.set(queue.id, slot.id);
    this.#candidates.delete(queue.id);
    if (left) this.#enter(left);
    return job;
  }

  /** No slot is free: reserves one that will be. A queue without a key can use several and stays a candidate. */
  #reserve({ queue, reserved }: Candidate): void {
    const found = this.#findSlot();
    if (!found || queue.key !== null || reserved + 1 >= queue.jobs.length) {
      this.#candidates.delete(queue.id);
      return;
    }
    const { starts, ageing, order } = clockOf(this.#draft);
    const rank = rankOf(queue.jobs, { starts: starts + 1, ageing, order });
    this.#candidates.set(queue.id, { queue, reserved: reserved + 1, rank, order });
  }

  #findSlot(): boolean {
    const draft = this.#draft;
    if (this.#stopping > 0) {
      this.#stopping--;
      return true;
    }
    const victim = slotToEvict(draft);
    if (victim) {
      stopSlot(draft, victim, 'needed');
      return true;
    }
    const slots = [...draft.slots.values()];
    const lingering = slots.find(({ id, phase }) => phase === 'lingering' && !this.#reserved.has(id));
    if (lingering) this.#reserved.add(lingering.id);
    return lingering !== undefined;
  }

  #first(): Candidate | undefined {
    let first: Candidate | undefined;
    for (const next of this.#candidates.values()) {
      if (!first || next.rank < first.rank || (next.rank === first.rank && next.order < first.order)) first = next;
    }
    return first;
  }

  /** Makes a queue a candidate, unless its key's session is busy or stopping: a key runs one job at a time. */
  #enter(queue: JobQueue): void {
    const own = this.#ownSlot(queue);
    if (own?.phase === 'busy' || own?.phase === 'stopping') return;
    const rank = queue.rank - (own ? this.#draft.rules.affinity : 0);
    this.#candidates.set(queue.id, { queue, reserved: 0, rank, order: queue.order });
  }

  #ownSlot({ id }: JobQueue): Slot | undefined {
    return this.#draft.slots.get(this.#slotOfQueue.get(id) ?? 0);
  }
}

/** Prefers idle slots without queued jobs, then idle ones, then warm ones; among equals the least recently used. */
function slotToEvict(draft: Draft): Slot | undefined {
  const cost = ({ phase, queue }: Slot): number => {
    if (phase === 'idle') return queue !== null && draft.queues.has(queue) ? 1 : 0;
    return phase === 'warm' ? 2 : phase === 'warming' ? 3 : Number.POSITIVE_INFINITY;
  };
  const [cheapest] = [...draft.slots.values()]
    .filter((slot) => cost(slot) < Number.POSITIVE_INFINITY)
    .sort((one, other) => cost(one) - cost(other) || one.used - other.used);
  return cheapest;
}

function warmSlot(draft: Draft): Slot | undefined {
  const slots = [...draft.slots.values()];
  return slots.find(({ phase }) => phase === 'warm') ?? slots.find(({ phase }) => phase === 'warming');
}

function prewarm(draft: Draft): void {
  const { size, prewarm: wanted } = draft.rules;
  let warm = [...draft.slots.values()].filter(({ phase }) => phase === 'warm' || phase === 'warming').length;
  while (draft.mayWarm && warm < wanted && draft.slots.size < size) {
    const slot = newSlot(draft);
    draft.slots.set(slot.id, slot);
    draft.effects.push({ do: 'start', slot: slot.id, job: null });
    warm++;
  }
}

/** A pool that is closing keeps only slots that have a job, or queued jobs. */
function stopUnneeded(draft: Draft): void {
  for (const slot of [...draft.slots.values()]) {
    const needed =
      draft.mode === 'draining' &&
      (slot.phase === 'busy' || slot.phase === 'lingering' || (slot.queue !== null && draft.queues.has(slot.queue)));
    if (!needed) stopSlot(draft, slot, 'closing');
  }
}

function newSlot(draft: Draft): Slot {
  const id = ++draft.lastSlot;
  return { id, phase: 'warming', queue: null, once: false, profile: '', job: null, used: draft.order++ };
}

function clockOf(draft: Draft): QueueClock {
  return { starts: draft.starts, ageing: draft.rules.ageing, order: draft.order++ };
}
