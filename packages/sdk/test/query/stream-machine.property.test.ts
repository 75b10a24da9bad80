import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MachineEvent, type StreamEffect, startMachine, transition } from '../../src/query/stream-machine.ts';

/**
 * A second implementation of the rules. It records all events of the run and derives the state from the whole
 * record each time.
 */
class Diary {
  readonly #waits: boolean;
  readonly #maxLate: number;
  #tasks = new Set<string>();
  #busy = false;
  #turnOpen = false;
  #failed: boolean | undefined;
  #draining = false;
  #givenUp = false;
  #late = 0;
  over = false;

  constructor(waits: boolean, maxLate: number) {
    this.#waits = waits;
    this.#maxLate = maxLate;
  }

  hears(event: MachineEvent): readonly StreamEffect[] {
    if (this.over) return [];
    switch (event.type) {
      case 'close':
        return this.#ends();
      case 'exit':
        return this.#exits(event);
      case 'drain-timeout':
        return this.#draining ? this.#ends(...this.#lateCount()) : [];
      case 'background-timeout':
        if (this.#failed === undefined || this.#draining) return [];
        this.#givenUp = true;
        this.#draining = true;
        return ['warn-abandoned', 'start-drain'];
      case 'message':
        return this.#draining ? this.#comesLate() : ['hand-over'];
      case 'message-after-result':
        return ['hand-over'];
      default:
        return this.#works(event);
    }
  }

  #works(
    event: Extract<MachineEvent, { type: 'turn-started' | 'result' | `task${string}` | 'session-state' }>,
  ): readonly StreamEffect[] {
    if (event.type === 'turn-started' && this.#draining && (this.#givenUp || !this.#waits)) return this.#comesLate();
    if (event.type === 'turn-started') this.#turnOpen = true;
    if (event.type === 'task-opened') this.#tasks.add(event.id);
    if (event.type === 'task-closed') this.#tasks.delete(event.id);
    if (event.type === 'tasks-listed') this.#tasks = new Set(event.ids);
    if (event.type === 'session-state') this.#busy = !event.idle;
    if (event.type === 'result') {
      this.#turnOpen = false;
      this.#failed = event.failed;
    }
    if (this.#failed === undefined) return ['hand-over'];
    const open = this.#waits && !this.#givenUp && (this.#tasks.size > 0 || this.#busy || this.#turnOpen);
    if (open) {
      this.#draining = false;
      return ['hand-over', 'wait-for-background'];
    }
    if (this.#draining && event.type !== 'turn-started') return ['hand-over'];
    this.#draining = true;
    return ['hand-over', 'start-drain'];
  }

  #exits({ exitCode, signal, outputSeen }: Extract<MachineEvent, { type: 'exit' }>): readonly StreamEffect[] {
    const clean = exitCode === 0 && signal === null;
    if (this.#failed === undefined) {
      if (clean) return this.#ends(outputSeen ? 'warn-clean-exit' : 'warn-empty-response');
      this.over = true;
      return ['fail-process'];
    }
    const asSaid = clean || (signal === null && exitCode === 1 && this.#failed);
    return this.#ends(...this.#lateCount(), ...(asSaid ? [] : (['warn-non-zero-exit'] as const)));
  }

  #comesLate(): readonly StreamEffect[] {
    this.#late += 1;
    return this.#late <= this.#maxLate ? ['warn-late-message'] : [];
  }

  #lateCount(): readonly StreamEffect[] {
    return this.#late > this.#maxLate ? ['warn-output-after-end'] : [];
  }

  #ends(...first: readonly StreamEffect[]): readonly StreamEffect[] {
    this.over = true;
    return [...first, 'end'];
  }
}

const id = fc.constantFrom('a', 'b', 'c');
const event: fc.Arbitrary<MachineEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<MachineEvent>({ type: 'message' }, { type: 'message-after-result' }) },
  { weight: 3, arbitrary: fc.boolean().map((failed) => ({ type: 'result' as const, failed })) },
  { weight: 2, arbitrary: fc.constant<MachineEvent>({ type: 'turn-started' }) },
  { weight: 2, arbitrary: id.map((task) => ({ type: 'task-opened' as const, id: task })) },
  { weight: 3, arbitrary: id.map((task) => ({ type: 'task-closed' as const, id: task })) },
  { weight: 1, arbitrary: fc.array(id, { maxLength: 2 }).map((ids) => ({ type: 'tasks-listed' as const, ids })) },
  { weight: 1, arbitrary: fc.boolean().map((idle) => ({ type: 'session-state' as const, idle })) },
  { weight: 1, arbitrary: fc.constantFrom<MachineEvent>({ type: 'background-timeout' }, { type: 'drain-timeout' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('exit' as const),
      exitCode: fc.constantFrom(0, 1, 2, null),
      signal: fc.constantFrom(null, 'SIGKILL'),
      outputSeen: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant<MachineEvent>({ type: 'close' }) },
);

describe('the stream machine', () => {
  it('[Q-3, Q-4, Q-5, Q-7, Q-8] agrees with a simple model for any sequence of events', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.boolean(), fc.nat(3), (events, waits, maxLate) => {
        const diary = new Diary(waits, maxLate);
        let machine = startMachine({ waitForBackground: waits, maxLateMessages: maxLate });
        const actual: unknown[] = [];
        const expected: unknown[] = [];
        for (const each of events) {
          const step = transition(machine, each);
          machine = step.machine;
          actual.push([each, step.emit, machine.state === 'closed']);
          expected.push([each, diary.hears(each), diary.over]);
        }
        expect(actual).toEqual(expected);
      }),
      { numRuns: 1_500 },
    );
  });
});
