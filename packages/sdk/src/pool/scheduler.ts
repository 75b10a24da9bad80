import { type JobQueue, type QueuedJob, queueIdOf, withJob, withoutJob } from './job-queues.ts';
import { place } from './placement.ts';
import { slotTable } from './slots.ts';

/** The limits of a pool. */
export interface SchedulerRules {
  /** How many processes can exist at once, including those that are starting or stopping. */
  readonly size: number;
  /** How many of them are kept ready for new keys. */
  readonly prewarm: number;
  /** How many jobs can wait, in total and per key. */
  readonly queue: number;
  readonly perKey: number;
  /** How many starts one step of priority is worth. */
  readonly ageing: number;
  /** How many starts having a session is worth: a key with jobs keeps its session for that many more. */
  readonly affinity: number;
}

/**
 * `warming`: started ahead of any job, `warm`: ready for any new key, `busy`: runs a job, `lingering`: has no job but
 * background work, `idle`: waits for its key's next job, `stopping`: its process has not exited yet.
 */
export type SlotPhase = 'warming' | 'warm' | 'busy' | 'lingering' | 'idle' | 'stopping';

/** A place for one process. */
export interface Slot {
  readonly id: number;
  readonly phase: SlotPhase;
  /** The queue it takes jobs from; `null` for a warm one. */
  readonly queue: string | null;
  /** It runs one job and is then stopped. */
  readonly once: boolean;
  /** The profile its process was started with. */
  readonly profile: string;
  /** The running job, also while the slot is stopping. */
  readonly job: string | null;
  /** When it was last used, as a count: the lowest is evicted first. */
  readonly used: number;
}

/** The state of the scheduler. `step` never changes it, but returns the next one. */
export interface SchedulerState {
  readonly rules: SchedulerRules;
  readonly mode: 'open' | 'draining' | 'stopping' | 'closed';
  /** No job is started. */
  readonly paused: boolean;
  /** Processes can be started ahead of their jobs. */
  readonly mayWarm: boolean;
  readonly starts: number;
  readonly order: number;
  readonly lastSlot: number;
  readonly queued: number;
  readonly queues: ReadonlyMap<string, JobQueue>;
  readonly slots: ReadonlyMap<number, Slot>;
}

/** An event of one slot. */
export type SlotEvent =
  | { readonly type: 'ready' | 'settled' | 'expired' | 'sick' | 'gone'; readonly slot: number }
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

/** What the pool has to do. */
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

/** A mutable copy of a state, and the effects so far. */
export interface Draft extends Mutable<Omit<SchedulerState, 'queues' | 'slots'>> {
  readonly queues: Map<string, JobQueue>;
  readonly slots: Map<number, Slot>;
  readonly effects: SchedulerEffect[];
}

/** The first state. */
export function newScheduler(rules: SchedulerRules): SchedulerState {
  return {
    rules,
    mode: 'open',
    paused: false,
    mayWarm: true,
    starts: 0,
    order: 0,
    lastSlot: 0,
    queued: 0,
    queues: new Map(),
    slots: new Map(),
  };
}

/** Applies one event. Returns the next state, and the effects in the order in which they must happen. */
export function step(
  state: SchedulerState,
  event: SchedulerEvent,
): { readonly state: SchedulerState; readonly effects: readonly SchedulerEffect[] } {
  const draft: Draft = { ...state, queues: new Map(state.queues), slots: new Map(state.slots), effects: [] };
  // Each entry of the table takes the event of that name.
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
    for (const { jobs } of draft.queues.values()) {
      for (const { id } of jobs) draft.effects.push({ do: 'end', job: id, how: 'closed' });
    }
    draft.queues.clear();
    draft.queued = 0;
  },
};

function submit(draft: Draft, { job }: { readonly job: QueuedJob }): void {
  const id = queueIdOf(job);
  const queue = draft.queues.get(id);
  const refuse = (how: JobEnd): void => void draft.effects.push({ do: 'end', job: job.id, how });
  if (draft.mode !== 'open') return refuse('closed');
  if (draft.queued >= draft.rules.queue) return refuse('queue-full');
  if (job.key !== null && (queue?.jobs.length ?? 0) >= draft.rules.perKey) return refuse('key-full');
  const hasSession = [...draft.slots.values()].some((slot) => slot.queue === id && !slot.once);
  const clock = { starts: draft.starts, ageing: draft.rules.ageing, order: draft.order++ };
  draft.queues.set(id, withJob(queue, hasSession ? { ...job, fresh: false } : job, clock));
  draft.queued++;
}

function cancel(draft: Draft, { job }: { readonly job: string }): void {
  for (const queue of draft.queues.values()) {
    if (!queue.jobs.some(({ id }) => id === job)) continue;
    const left = withoutJob(queue, job);
    if (left) draft.queues.set(queue.id, left);
    else draft.queues.delete(queue.id);
    draft.queued--;
    draft.effects.push({ do: 'end', job, how: 'cancelled' });
    return;
  }
}

function ofSlot(draft: Draft, event: SlotEvent): void {
  const slot = draft.slots.get(event.slot);
  if (slot) slotTable[slot.phase][event.type](draft, slot, event);
}
