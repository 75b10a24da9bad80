import type { Draft, Slot, SlotEvent, SlotPhase, StopReason } from './scheduler.ts';

type Cell = (draft: Draft, slot: Slot, event: SlotEvent) => void;
type Row = Readonly<Record<SlotEvent['type'], Cell>>;

const stay: Cell = () => {};
const stopBecause =
  (why: StopReason): Cell =>
  (draft, slot) =>
    stopSlot(draft, slot, why);
const sick = stopBecause('sick');

/** One that was started for nobody failed: the next is not started at once. */
const unwarm =
  (end: Cell): Cell =>
  (draft, slot, event) => {
    end(draft, slot, event);
    draft.mayWarm = false;
    draft.effects.push({ do: 'warm-later', why: 'failed' });
  };

/** The process is gone: its place is free. A job that still ran on it is lost. */
const gone: Cell = (draft, slot) => {
  draft.slots.delete(slot.id);
  if (slot.job !== null) draft.effects.push({ do: 'end', job: slot.job, how: 'lost' });
};

/** The table: what each event means for a slot in each phase. */
export const slotTable: Readonly<Record<SlotPhase, Row>> = {
  warming: {
    ready: (draft, slot) => set(draft, { ...slot, phase: 'warm' }),
    'turn-ended': stay,
    settled: stay,
    expired: stay,
    sick: unwarm(sick),
    gone: unwarm(gone),
  },
  warm: { ready: stay, 'turn-ended': stay, settled: stay, expired: stay, sick: unwarm(sick), gone: unwarm(gone) },
  busy: {
    ready: stay,
    'turn-ended': (draft, slot, event) => {
      endJob(draft, slot);
      if (event.type === 'turn-ended' && event.quiet) rest(draft, slot);
      else set(draft, { ...slot, job: null, phase: 'lingering' });
    },
    settled: stay,
    expired: stay,
    sick,
    gone,
  },
  lingering: { ready: stay, 'turn-ended': stay, settled: rest, expired: stay, sick, gone },
  idle: { ready: stay, 'turn-ended': stay, settled: stay, expired: stopBecause('expired'), sick, gone },
  stopping: {
    ready: stay,
    'turn-ended': (draft, slot) => {
      endJob(draft, slot);
      set(draft, { ...slot, job: null });
    },
    settled: stay,
    expired: stay,
    sick: stay,
    gone,
  },
};

/** Sends a slot on its way out; it counts until its process is gone. */
export function stopSlot(draft: Draft, slot: Slot, why: StopReason): void {
  if (slot.phase === 'stopping') return;
  set(draft, { ...slot, phase: 'stopping' });
  draft.effects.push({ do: 'stop', slot: slot.id, why });
}

function rest(draft: Draft, slot: Slot): void {
  const idle: Slot = { ...slot, job: null, phase: 'idle', used: draft.order++ };
  set(draft, idle);
  if (slot.once) stopSlot(draft, idle, 'done');
  else draft.effects.push({ do: 'rest', slot: slot.id });
}

function endJob(draft: Draft, { job }: Slot): void {
  if (job !== null) draft.effects.push({ do: 'end', job, how: 'ran' });
}

function set(draft: Draft, slot: Slot): void {
  draft.slots.set(slot.id, slot);
}
