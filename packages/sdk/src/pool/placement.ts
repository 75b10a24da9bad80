import { type Lane, type Line, leaveLane, rankOf } from './lanes.ts';
import type { Draft, Slot } from './scheduler.ts';
import { stopSlot } from './slots.ts';

/** Gives waiting jobs their slots, in the order of their line, then stops or starts what nobody waits for. */
export function place(draft: Draft): void {
  if (!draft.paused && draft.mode !== 'stopping') new Placing(draft).run();
  if (draft.mode !== 'open') putAway(draft);
  else warmUp(draft);
  if ((draft.mode === 'draining' || draft.mode === 'stopping') && draft.waiting === 0 && draft.slots.size === 0) {
    draft.mode = 'closed';
    draft.effects.push({ do: 'close' });
  }
}

/** A lane in the line of one pass, with the places it has asked for. */
interface Claimant {
  readonly lane: Lane;
  readonly asked: number;
  readonly rank: number;
  readonly order: number;
}

/** One pass over the line. */
class Placing {
  readonly #draft: Draft;
  readonly #claimants = new Map<string, Claimant>();
  /** The slot of each key that has one. */
  readonly #residents = new Map<string, number>();
  /** Slots that are not idle yet and will be given to somebody who waits: their own lane has to queue for them. */
  readonly #promised = new Set<number>();
  /** Places that will be free by themselves. */
  #coming: number;

  constructor(draft: Draft) {
    this.#draft = draft;
    this.#coming = [...draft.slots.values()].filter(({ phase }) => phase === 'stopping').length;
    for (const { id, lane, once } of draft.slots.values()) if (lane !== null && !once) this.#residents.set(lane, id);
    for (const lane of draft.lanes.values()) this.#lineUp(lane);
  }

  run(): void {
    for (let next = this.#first(); next; next = this.#first()) this.#serve(next);
  }

  #serve(claimant: Claimant): void {
    const draft = this.#draft;
    const { lane, asked } = claimant;
    const own = this.#ownSlot(lane);
    // One that has asked for a place in this pass waits for it.
    if (asked > 0) return this.#ask(claimant);
    if (own) {
      // It may have been stopped for somebody else a moment ago.
      if (own.phase === 'stopping' || this.#promised.has(own.id)) this.#claimants.delete(lane.id);
      else if (lane.jobs[0]?.profile !== own.profile) this.#change(lane, own);
      else this.#assign(lane, own, false);
      return;
    }
    const warm = lane.jobs[0]?.fresh ? warmSlot(draft) : undefined;
    if (warm) return this.#assign(lane, warm, true);
    if (draft.slots.size >= draft.rules.size) return this.#ask(claimant);
    const slot = newSlot(draft);
    const job = this.#begin(lane, slot);
    draft.effects.push({ do: 'start', slot: slot.id, job });
  }

  /** The next job of a key needs another process: it takes up the conversation when this one has left it. */
  #change(lane: Lane, own: Slot): void {
    this.#claimants.delete(lane.id);
    if (own.phase === 'idle') stopSlot(this.#draft, own, 'changed');
  }

  #assign(lane: Lane, slot: Slot, adopts: boolean): void {
    const { effects } = this.#draft;
    const job = this.#begin(lane, slot);
    effects.push({ do: 'assign', slot: slot.id, job, adopts });
    if (!adopts) return;
    this.#draft.mayWarm = false;
    effects.push({ do: 'warm-later', why: 'adopted' });
  }

  /** Takes the first job of a lane to a slot. */
  #begin(lane: Lane, slot: Slot): string {
    const draft = this.#draft;
    const { id: job = '', profile = '' } = lane.jobs[0] ?? {};
    draft.starts++;
    draft.waiting--;
    const left = leaveLane(lane, line(draft));
    if (left) draft.lanes.set(lane.id, left);
    else draft.lanes.delete(lane.id);
    draft.slots.set(slot.id, { ...slot, phase: 'busy', lane: lane.id, once: lane.key === null, profile, job });
    if (lane.key !== null) this.#residents.set(lane.id, slot.id);
    this.#claimants.delete(lane.id);
    if (left) this.#lineUp(left);
    return job;
  }

  /** There is no place: one is asked for, and the lane lines up for the next if it can use another. */
  #ask(claimant: Claimant): void {
    const draft = this.#draft;
    const { lane } = claimant;
    const asked = claimant.asked + 1;
    const found = this.#findPlace();
    if (!found || lane.key !== null || asked >= lane.jobs.length) this.#claimants.delete(lane.id);
    else {
      const { starts, ageing, order } = line(draft);
      const rank = rankOf(lane.jobs, { starts: starts + 1, ageing, order });
      this.#claimants.set(lane.id, { lane, asked, rank, order });
    }
  }

  #findPlace(): boolean {
    const draft = this.#draft;
    if (this.#coming > 0) {
      this.#coming--;
      return true;
    }
    const victim = leastMissed(draft);
    if (victim) {
      stopSlot(draft, victim, 'needed');
      return true;
    }
    const lingering = [...draft.slots.values()].find(
      ({ id, phase }) => phase === 'lingering' && !this.#promised.has(id),
    );
    if (lingering) this.#promised.add(lingering.id);
    return lingering !== undefined;
  }

  #first(): Claimant | undefined {
    let first: Claimant | undefined;
    for (const claimant of this.#claimants.values()) {
      if (!first || claimant.rank < first.rank || (claimant.rank === first.rank && claimant.order < first.order)) {
        first = claimant;
      }
    }
    return first;
  }

  /** A lane whose key is at work, or whose session is leaving, waits: one job of a key at a time. */
  #lineUp(lane: Lane): void {
    const own = this.#ownSlot(lane);
    if (own?.phase === 'busy' || own?.phase === 'stopping') return;
    const rank = lane.rank - (own ? this.#draft.rules.affinity : 0);
    this.#claimants.set(lane.id, { lane, asked: 0, rank, order: lane.order });
  }

  #ownSlot({ id }: Lane): Slot | undefined {
    return this.#draft.slots.get(this.#residents.get(id) ?? 0);
  }
}

/** Who is stopped to make room: a session nobody waits for, the least recently used first; then one with jobs; then a warm one. */
function leastMissed(draft: Draft): Slot | undefined {
  const cost = ({ phase, lane }: Slot): number => {
    if (phase === 'idle') return lane !== null && draft.lanes.has(lane) ? 1 : 0;
    return phase === 'warm' ? 2 : phase === 'warming' ? 3 : Number.POSITIVE_INFINITY;
  };
  let least: Slot | undefined;
  for (const slot of draft.slots.values()) {
    if (cost(slot) === Number.POSITIVE_INFINITY) continue;
    const difference = least ? cost(slot) - cost(least) || slot.used - least.used : -1;
    if (difference < 0) least = slot;
  }
  return least;
}

/** One that is ready, else one that soon will be. */
function warmSlot(draft: Draft): Slot | undefined {
  const slots = [...draft.slots.values()];
  return slots.find(({ phase }) => phase === 'warm') ?? slots.find(({ phase }) => phase === 'warming');
}

function warmUp(draft: Draft): void {
  const { size, prewarm } = draft.rules;
  let warm = [...draft.slots.values()].filter(({ phase }) => phase === 'warm' || phase === 'warming').length;
  while (draft.mayWarm && warm < prewarm && draft.slots.size < size) {
    const slot = newSlot(draft);
    draft.slots.set(slot.id, slot);
    draft.effects.push({ do: 'start', slot: slot.id, job: null });
    warm++;
  }
}

/** A pool that is closing keeps only what still has work. */
function putAway(draft: Draft): void {
  for (const slot of [...draft.slots.values()]) {
    const needed = draft.mode === 'draining' && slot.lane !== null && draft.lanes.has(slot.lane);
    const atWork = draft.mode === 'draining' && (slot.phase === 'busy' || slot.phase === 'lingering');
    if (!needed && !atWork) stopSlot(draft, slot, 'closing');
  }
}

function newSlot(draft: Draft): Slot {
  draft.lastSlot++;
  return { id: draft.lastSlot, phase: 'warming', lane: null, once: false, profile: '', job: null, used: draft.order++ };
}

function line(draft: Draft): Line {
  return { starts: draft.starts, ageing: draft.rules.ageing, order: draft.order++ };
}
