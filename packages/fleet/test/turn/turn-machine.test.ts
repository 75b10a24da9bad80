import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterEvent, cancelEffect, fateOf, type TurnEvent, type TurnState } from '../../src/turn/turn-machine.ts';

const STATES = ['waiting', 'claimed', 'sent', 'done'] as const;
const EVENTS = ['claim', 'send', 'finish', 'give-back', 'cancel'] as const;

describe('the machine of a turn', () => {
  it('[F-3] whatever happens, a turn ends at most once and nothing follows its end', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<TurnEvent>(...EVENTS), { maxLength: 40 }), (events) => {
        let state: TurnState = 'waiting';
        let ends = 0;
        for (const event of events) {
          const next = afterEvent(state, event);
          if (next === undefined) continue;
          expect(state).not.toBe('done');
          if (next === 'done') ends += 1;
          state = next;
        }
        expect(ends).toBe(state === 'done' ? 1 : 0);
      }),
    );
  });

  it('[F-4] a prompt that was sent is only sent again with permission, and never more often than allowed', () => {
    fc.assert(
      fc.property(
        fc.record({
          state: fc.constantFrom<TurnState>(...STATES),
          attempt: fc.integer({ min: 1, max: 10 }),
          answered: fc.boolean(),
          cancelled: fc.boolean(),
        }),
        fc.integer({ min: 1, max: 10 }),
        fc.constantFrom<'never' | 'unanswered' | boolean>('never', 'unanswered', true, false),
        (turn, maxAttempts, replay) => {
          const fate = fateOf(turn, maxAttempts, replay);
          expect(fate === 'none').toBe(turn.state === 'waiting' || turn.state === 'done');
          if (fate !== 'again') return;
          expect(turn.attempt).toBeLessThan(maxAttempts);
          expect(turn.cancelled).toBe(false);
          if (turn.state === 'sent') expect(replay === true || (replay === 'unanswered' && !turn.answered)).toBe(true);
        },
      ),
    );
  });

  it('[F-4] without permission a sent prompt is interrupted, and an unsent one goes to the next worker', () => {
    const lost = { attempt: 1, answered: false, cancelled: false };
    expect(fateOf({ ...lost, state: 'sent' }, 5, 'never')).toBe('interrupted');
    expect(fateOf({ ...lost, state: 'sent' }, 5, 'unanswered')).toBe('again');
    expect(fateOf({ ...lost, state: 'sent', answered: true }, 5, 'unanswered')).toBe('interrupted');
    expect(fateOf({ ...lost, state: 'claimed' }, 5, 'never')).toBe('again');
    expect(fateOf({ ...lost, state: 'claimed', attempt: 5 }, 5, 'never')).toBe('dead');
    expect(fateOf({ ...lost, state: 'claimed', cancelled: true }, 5, 'never')).toBe('cancelled');
  });

  it('[F-4] a prompt that was sent is never dead: after the last attempt it is interrupted, as the agent may have acted on it', () => {
    const last = { state: 'sent', attempt: 3, answered: false, cancelled: false } as const;
    for (const replay of [true, 'unanswered'] as const) {
      expect(fateOf({ ...last, attempt: 2 }, 3, replay)).toBe('again');
      expect(fateOf(last, 3, replay)).toBe('interrupted');
    }
  });

  it('[F-9] cancel takes out what waits, interrupts what runs, and comes too late for what ended', () => {
    expect(STATES.map(cancelEffect)).toEqual(['take-out', 'interrupt', 'interrupt', 'too-late']);
  });
});
