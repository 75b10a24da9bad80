import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type MachineEvent,
  type QueryState,
  type StreamEffect,
  type StreamMachine,
  startMachine,
  transition,
} from '../../src/query/stream-machine.ts';

const fresh = (waitForBackground = true): StreamMachine => startMachine({ waitForBackground, maxLateMessages: 2 });

function after(events: readonly MachineEvent[], machine: StreamMachine = fresh()): StreamMachine {
  return events.reduce((current, event) => transition(current, event).machine, machine);
}

const ok: MachineEvent = { type: 'result', failed: false };
const bad: MachineEvent = { type: 'result', failed: true };
const open: MachineEvent = { type: 'task-opened', id: 't' };
const close: MachineEvent = { type: 'task-closed', id: 't' };
const exit = (exitCode: number | null, signal: string | null = null, outputSeen = true): MachineEvent => ({
  type: 'exit',
  exitCode,
  signal,
  outputSeen,
});

/** A machine in each state. */
const reach: Record<QueryState, StreamMachine> = {
  streaming: fresh(),
  'result-received': after([open, ok]),
  'pending-end': after([ok]),
  closed: after([{ type: 'close' }]),
};

type Cell = readonly [next: QueryState, ...emit: StreamEffect[]];

/** The complete table: the effect of each event in each state. */
const table: Record<string, { event: MachineEvent } & Record<QueryState, Cell>> = {
  message: {
    event: { type: 'message' },
    streaming: ['streaming', 'hand-over'],
    'result-received': ['result-received', 'hand-over'],
    'pending-end': ['pending-end', 'warn-late-message'],
    closed: ['closed'],
  },
  'message-after-result': {
    event: { type: 'message-after-result' },
    streaming: ['streaming', 'hand-over'],
    'result-received': ['result-received', 'hand-over'],
    'pending-end': ['pending-end', 'hand-over'],
    closed: ['closed'],
  },
  'turn-started': {
    event: { type: 'turn-started' },
    streaming: ['streaming', 'hand-over'],
    'result-received': ['result-received', 'hand-over', 'wait-for-background'],
    'pending-end': ['result-received', 'hand-over', 'wait-for-background'],
    closed: ['closed'],
  },
  'result, ok': {
    event: ok,
    streaming: ['pending-end', 'hand-over', 'start-drain'],
    'result-received': ['result-received', 'hand-over', 'wait-for-background'],
    'pending-end': ['pending-end', 'hand-over'],
    closed: ['closed'],
  },
  'result, failed': {
    event: bad,
    streaming: ['pending-end', 'hand-over', 'start-drain'],
    'result-received': ['result-received', 'hand-over', 'wait-for-background'],
    'pending-end': ['pending-end', 'hand-over'],
    closed: ['closed'],
  },
  'task-opened': {
    event: { type: 'task-opened', id: 'u' },
    streaming: ['streaming', 'hand-over'],
    'result-received': ['result-received', 'hand-over', 'wait-for-background'],
    'pending-end': ['result-received', 'hand-over', 'wait-for-background'],
    closed: ['closed'],
  },
  'task-closed, the open one': {
    event: close,
    streaming: ['streaming', 'hand-over'],
    'result-received': ['pending-end', 'hand-over', 'start-drain'],
    'pending-end': ['pending-end', 'hand-over'],
    closed: ['closed'],
  },
  'task-closed, another': {
    event: { type: 'task-closed', id: 'other' },
    streaming: ['streaming', 'hand-over'],
    'result-received': ['result-received', 'hand-over', 'wait-for-background'],
    'pending-end': ['pending-end', 'hand-over'],
    closed: ['closed'],
  },
  'tasks-listed, none': {
    event: { type: 'tasks-listed', ids: [] },
    streaming: ['streaming', 'hand-over'],
    'result-received': ['pending-end', 'hand-over', 'start-drain'],
    'pending-end': ['pending-end', 'hand-over'],
    closed: ['closed'],
  },
  'tasks-listed, one': {
    event: { type: 'tasks-listed', ids: ['v'] },
    streaming: ['streaming', 'hand-over'],
    'result-received': ['result-received', 'hand-over', 'wait-for-background'],
    'pending-end': ['result-received', 'hand-over', 'wait-for-background'],
    closed: ['closed'],
  },
  'session-state, busy': {
    event: { type: 'session-state', idle: false },
    streaming: ['streaming', 'hand-over'],
    'result-received': ['result-received', 'hand-over', 'wait-for-background'],
    'pending-end': ['result-received', 'hand-over', 'wait-for-background'],
    closed: ['closed'],
  },
  'session-state, idle': {
    event: { type: 'session-state', idle: true },
    streaming: ['streaming', 'hand-over'],
    'result-received': ['result-received', 'hand-over', 'wait-for-background'],
    'pending-end': ['pending-end', 'hand-over'],
    closed: ['closed'],
  },
  'background-timeout': {
    event: { type: 'background-timeout' },
    streaming: ['streaming'],
    'result-received': ['pending-end', 'warn-abandoned', 'start-drain'],
    'pending-end': ['pending-end'],
    closed: ['closed'],
  },
  'drain-timeout': {
    event: { type: 'drain-timeout' },
    streaming: ['streaming'],
    'result-received': ['result-received'],
    'pending-end': ['closed', 'end'],
    closed: ['closed'],
  },
  'exit 0': {
    event: exit(0),
    streaming: ['closed', 'warn-clean-exit', 'end'],
    'result-received': ['closed', 'end'],
    'pending-end': ['closed', 'end'],
    closed: ['closed'],
  },
  'exit 0, nothing printed': {
    event: exit(0, null, false),
    streaming: ['closed', 'warn-empty-response', 'end'],
    'result-received': ['closed', 'end'],
    'pending-end': ['closed', 'end'],
    closed: ['closed'],
  },
  'exit 1': {
    event: exit(1),
    streaming: ['closed', 'fail-process'],
    'result-received': ['closed', 'warn-non-zero-exit', 'end'],
    'pending-end': ['closed', 'warn-non-zero-exit', 'end'],
    closed: ['closed'],
  },
  'killed by a signal': {
    event: exit(null, 'SIGKILL'),
    streaming: ['closed', 'fail-process'],
    'result-received': ['closed', 'warn-non-zero-exit', 'end'],
    'pending-end': ['closed', 'warn-non-zero-exit', 'end'],
    closed: ['closed'],
  },
  close: {
    event: { type: 'close' },
    streaming: ['closed', 'end'],
    'result-received': ['closed', 'end'],
    'pending-end': ['closed', 'end'],
    closed: ['closed'],
  },
};

const states: readonly QueryState[] = ['streaming', 'result-received', 'pending-end', 'closed'];

describe('the stream machine', () => {
  for (const [name, row] of Object.entries(table)) {
    for (const state of states) {
      it(`[Q-3] ${state} × ${name}`, () => {
        const step = transition(reach[state], row.event);
        expect([step.machine.state, ...step.emit]).toEqual(row[state]);
      });
    }
  }

  it('[Q-3] has a row for every kind of event', () => {
    const kinds: Record<MachineEvent['type'], true> = {
      message: true,
      'message-after-result': true,
      'turn-started': true,
      result: true,
      'task-opened': true,
      'task-closed': true,
      'tasks-listed': true,
      'session-state': true,
      'background-timeout': true,
      'drain-timeout': true,
      exit: true,
      close: true,
    };
    expect(new Set(Object.values(table).map((row) => row.event.type))).toEqual(new Set(Object.keys(kinds)));
  });

  it('[Q-4] expects exit 1 after an error result', () => {
    expect(transition(after([bad]), exit(1)).emit).toEqual(['end']);
    expect(transition(after([bad]), exit(2)).emit).toEqual(['warn-non-zero-exit', 'end']);
    expect(transition(after([ok]), exit(1)).emit).toEqual(['warn-non-zero-exit', 'end']);
  });

  it('[Q-8] waits for the second result of a background task', () => {
    const launched = after([{ type: 'turn-started' }, open, ok]);
    expect(launched.state).toBe('result-received');
    const notified = after([close], launched);
    expect(notified.state).toBe('pending-end');
    const secondTurn = after([{ type: 'turn-started' }, { type: 'message' }], notified);
    expect(secondTurn.state).toBe('result-received');
    expect(after([ok], secondTurn).state).toBe('pending-end');
  });

  it('[Q-8] keeps the run open from a busy session state until idle', () => {
    const busy = after([{ type: 'session-state', idle: false }, ok]);
    expect(busy.state).toBe('result-received');
    expect(after([{ type: 'session-state', idle: true }], busy).state).toBe('pending-end');
  });

  it('[Q-8] ends at the first result without a wait for background work; later turns are late', () => {
    const ended = after([open, ok], fresh(false));
    expect(ended.state).toBe('pending-end');
    expect(transition(ended, { type: 'turn-started' }).emit).toEqual(['warn-late-message']);
  });

  it('[Q-8] only counts late messages above the limit', () => {
    const late = after([ok, { type: 'message' }, { type: 'message' }]);
    const third = transition(late, { type: 'message' });
    expect(third.emit).toEqual([]);
    expect(transition(third.machine, { type: 'drain-timeout' }).emit).toEqual(['warn-output-after-end', 'end']);
    expect(transition(late, { type: 'drain-timeout' }).emit).toEqual(['end']);
  });

  it('[Q-3] ends at most once, stays closed, and is immutable, for any sequence', () => {
    const event: fc.Arbitrary<MachineEvent> = fc.constantFrom(...Object.values(table).map((row) => row.event));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.boolean(), (events, waits) => {
        let machine = fresh(waits);
        const emitted: StreamEffect[] = [];
        for (const each of events) {
          const frozen = Object.freeze(machine);
          const step = transition(frozen, each);
          if (machine.state === 'closed') expect(step.emit).toEqual([]);
          machine = step.machine;
          emitted.push(...step.emit);
        }
        const ends = emitted.filter((effect) => effect === 'end' || effect === 'fail-process');
        expect(ends.length).toBe(machine.state === 'closed' ? 1 : 0);
        if (machine.state !== 'streaming' && machine.state !== 'closed') expect(machine.failed).toBeDefined();
      }),
      { numRuns: 3_000 },
    );
  });
});
