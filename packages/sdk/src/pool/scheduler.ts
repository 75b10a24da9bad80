import { joinLane, type Lane, laneOf, type WaitingJob, withoutJob } from './lanes.ts';
import { place } from './placement.ts';
import { slotTable } from './slots.ts';

/** What a pool is allowed. */
export interface SchedulerRules {
  /** How many processes may live at once, those that start or leave included. */
  readonly size: number;
  /** How many of them are kept ready for keys that are new. */
  readonly prewarm: number;
  /** How many jobs may wait, in all and of one key. */
  readonly queue: number;
  readonly perKey: number;
  /** What one step of priority is worth, in starts. */
  readonly ageing: number;
  /** What having a session already is worth, in starts: a key gives its session up to others only after that many. */
  readonly affinity: number;
}

/**
 * How a slot stands: `warming` starts for nobody in particular, `warm` is ready for anybody, `busy` has a job, `lingering`
 * has none but its CLI is not done, `idle` waits for its key's next job, `stopping` is on its way out.
 */
export type SlotPhase = 'warming' | 'warm' | 'busy' | 'lingering' | 'idle' | 'stopping';

/** A place for one process. */
export interface Slot {
  readonly id: number;
  readonly phase: SlotPhase;
  /** The lane whose jobs it takes; `null` for a warm one. */
  readonly lane: string | null;
  /** It serves one job and is stopped then. */
  readonly once: boolean;
  /** What its process was started with. */
  readonly profile: string;
  /** The job that runs, also while the slot is stopping. */
  readonly job: string | null;
  /** When it was last used, as a count: the lowest is evicted first. */
  readonly used: number;
}

/** Everything the scheduler knows. `step` never changes one, it returns the next. */
export interface SchedulerState {
  readonly rules: SchedulerRules;
  readonly mode: 'open' | 'draining' | 'stopping' | 'closed';
  /** No job is started. */
  readonly paused: boolean;
  /** Processes may be started ahead of their jobs. */
  readonly mayWarm: boolean;
  readonly starts: number;
  readonly order: number;
  readonly lastSlot: number;
  readonly waiting: number;
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly slots: ReadonlyMap<number, Slot>;
}

/** What can happen to one slot. */
export type SlotEvent =
  | { readonly type: 'ready'; readonly slot: number }
  /** `quiet`: nothing goes on in the background. */
  | { readonly type: 'turn-ended'; readonly slot: number; readonly quiet: boolean }
  | { readonly type: 'settled'; readonly slot: number }
  | { readonly type: 'expired'; readonly slot: number }
  | { readonly type: 'sick'; readonly slot: number }
  | { readonly type: 'gone'; readonly slot: number };

/** What can happen to a pool. */
export type SchedulerEvent =
  | SlotEvent
  | { readonly type: 'submit'; readonly job: WaitingJob }
  /** Takes a job out of the queue; one that runs is ended by its own turn. */
  | { readonly type: 'cancel'; readonly job: string }
  | { readonly type: 'warm' }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'drain' }
  | { readonly type: 'stop' };

/** Why a slot is stopped. */
export type StopReason = 'needed' | 'expired' | 'done' | 'changed' | 'sick' | 'closing';

/** How a job came to its end. */
export type JobEnd = 'ran' | 'lost' | 'cancelled' | 'queue-full' | 'key-full' | 'closed';

/** What the shell has to do. */
export type SchedulerEffect =
  /** Start a process, for a job or ahead of one. */
  | { readonly do: 'start'; readonly slot: number; readonly job: string | null }
  /** Give a job to a slot; one that `adopts` takes a warm one over. */
  | { readonly do: 'assign'; readonly slot: number; readonly job: string; readonly adopts: boolean }
  /** The slot has nothing to do: its clock starts. */
  | { readonly do: 'rest'; readonly slot: number }
  | { readonly do: 'stop'; readonly slot: number; readonly why: StopReason }
  | { readonly do: 'end'; readonly job: string; readonly how: JobEnd }
  /** Send `warm` when it is time for another. */
  | { readonly do: 'warm-later'; readonly why: 'adopted' | 'failed' }
  /** Everything is over. */
  | { readonly do: 'close' };

/** A state that is being worked on, and what comes of it. */
export interface Draft extends Mutable<Omit<SchedulerState, 'lanes' | 'slots'>> {
  readonly lanes: Map<string, Lane>;
  readonly slots: Map<number, Slot>;
  readonly effects: SchedulerEffect[];
}

/** A pool in which nothing has happened. */
export function newScheduler(rules: SchedulerRules): SchedulerState {
  return {
    rules,
    mode: 'open',
    paused: false,
    mayWarm: true,
    starts: 0,
    order: 0,
    lastSlot: 0,
    waiting: 0,
    lanes: new Map(),
    slots: new Map(),
  };
}

/** One step: what an event makes of a state, and what is to be done, in order. */
export function step(
  state: SchedulerState,
  event: SchedulerEvent,
): { readonly state: SchedulerState; readonly effects: readonly SchedulerEffect[] } {
  const draft: Draft = { ...state, lanes: new Map(state.lanes), slots: new Map(state.slots), effects: [] };
  // Each entry of the table takes the event it stands under.
  (TABLE[event.type] as (draft: Draft, event: SchedulerEvent) => void)(draft, event);
  place(draft);
  const { effects, ...next } = draft;
  return { state: next, effects };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Cell<T extends SchedulerEvent['type']> = (draft: Draft, event: Extract<SchedulerEvent, { type: T }>) => void;

const TABLE: { readonly [T in SchedulerEvent['type']]: Cell<T> } = {
  submit,
  cancel,
  ready: ofSlot,
  'turn-ended': ofSlot,
  settled: ofSlot,
  expired: ofSlot,
  sick: ofSlot,
  gone: ofSlot,
  warm: (draft) => {
    draft.mayWarm = true;
  },
  pause: (draft) => {
    draft.paused = true;
  },
  resume: (draft) => {
    draft.paused = false;
  },
  drain: (draft) => {
    if (draft.mode === 'open') draft.mode = 'draining';
  },
  stop: (draft) => {
    if (draft.mode === 'closed') return;
    draft.mode = 'stopping';
    for (const { jobs } of draft.lanes.values()) {
      for (const { id } of jobs) draft.effects.push({ do: 'end', job: id, how: 'closed' });
    }
    draft.lanes.clear();
    draft.waiting = 0;
  },
};

function submit(draft: Draft, { job }: { readonly job: WaitingJob }): void {
  const lane = draft.lanes.get(laneOf(job));
  const refuse = (how: JobEnd): void => void draft.effects.push({ do: 'end', job: job.id, how });
  if (draft.mode !== 'open') return refuse('closed');
  if (draft.waiting >= draft.rules.queue) return refuse('queue-full');
  if (job.key !== null && (lane?.jobs.length ?? 0) >= draft.rules.perKey) return refuse('key-full');
  const begun = [...draft.slots.values()].some((slot) => slot.lane === laneOf(job) && !slot.once);
  const line = { starts: draft.starts, ageing: draft.rules.ageing, order: draft.order++ };
  draft.lanes.set(laneOf(job), joinLane(lane, begun ? { ...job, fresh: false } : job, line));
  draft.waiting++;
}

function cancel(draft: Draft, { job }: { readonly job: string }): void {
  for (const lane of draft.lanes.values()) {
    if (!lane.jobs.some(({ id }) => id === job)) continue;
    const left = withoutJob(lane, job);
    if (left) draft.lanes.set(lane.id, left);
    else draft.lanes.delete(lane.id);
    draft.waiting--;
    draft.effects.push({ do: 'end', job, how: 'cancelled' });
    return;
  }
}

function ofSlot(draft: Draft, event: SlotEvent): void {
  const slot = draft.slots.get(event.slot);
  if (slot) slotTable[slot.phase][event.type](draft, slot, event);
}
