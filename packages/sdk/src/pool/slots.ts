import type { Draft, Slot, SlotEvent, SlotPhase, StopReason } from './scheduler.ts';

type Cell = (draft: Draft, slot: Slot, event: SlotEvent) => void;
type Row = Readonly<Record<SlotEvent['type'], Cell>>;

const ignore: Cell = () => {};
const stopBecause =
  (why: StopReason): Cell =>
  (draft, slot) =>
    stopSlot(draft, slot, why);
const sick = stopBecause('sick');

/** A prewarmed process failed: the next one is started later. */
const delayWarming =
  (end: Cell): Cell =>
  (draft, slot, event) => {
    end(draft, slot, event);
    draft.mayWarm = false;
    draft.effects.push({ do: 'warm-later', why: 'failed' });
  };

/** The process has exited: its slot is free, and a job that still ran in it is lost. */
const gone: Cell = (draft, slot) => {
  draft.slots.delete(slot.id);
  if (slot.job !== null) draft.effects.push({ do: 'end', job: slot.job, how: 'lost' });
};

const UNAFFECTED = { ready: ignore, 'turn-ended': ignore, settled: ignore, expired: ignore };

/** What each event does to a slot in each phase. */
export const slotTable: Readonly<Record<SlotPhase, Row>> = {
  warming: {
    ...UNAFFECTED,
    ready: (draft, slot) => set(draft, { ...slot, phase: 'warm' }),
    sick: delayWarming(sick),
    gone: delayWarming(gone),
  },
  warm: { ...UNAFFECTED, sick: delayWarming(sick), gone: delayWarming(gone) },
  busy: {
    ...UNAFFECTED,
    'turn-ended': (draft, slot, event) => {
      endJob(draft, slot);
      if (event.type === 'turn-ended' && event.quiet) rest(draft, slot);
      else set(draft, { ...slot, job: null, phase: 'lingering' });
    },
    sick,
    gone,
  },
  lingering: { ...UNAFFECTED, settled: rest, sick, gone },
  idle: { ...UNAFFECTED, expired: stopBecause('expired'), sick, gone },
  stopping: {
    ...UNAFFECTED,
    'turn-ended': (draft, slot) => {
      endJob(draft, slot);
      set(draft, { ...slot, job: null });
    },
    sick: ignore,
    gone,
  },
};

/** Stops the process of a slot; the slot stays taken until the process has exited. */
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
