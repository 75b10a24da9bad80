import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fateOf } from '../../src/turn/lost-turn.ts';
import { cancelEffect, TURN_STATES, type TurnState } from '../../src/turn/turn-state.ts';

describe('lost and cancelled turns', () => {
  it('[F-4] a lost prompt that was sent is only sent again with permission, and never more often than allowed', () => {
    fc.assert(
      fc.property(
        fc.record({
          state: fc.constantFrom<TurnState>(...TURN_STATES),
          attempt: fc.integer({ min: 1, max: 10 }),
          answered: fc.boolean(),
          cancelled: fc.boolean(),
          resumable: fc.boolean(),
          wasParked: fc.boolean(),
        }),
        fc.integer({ min: 1, max: 10 }),
        fc.constantFrom<'never' | 'unanswered' | boolean>('never', 'unanswered', true, false),
        (turn, maxAttempts, replay) => {
          const fate = fateOf(turn, maxAttempts, replay);
          expect(fate === 'none').toBe(!['claimed', 'sent'].includes(turn.state));
          // What a person was asked is not forgotten, and a resumed turn is never sent again from its beginning.
          if (fate === 'parked') expect(turn.resumable && !turn.cancelled && turn.attempt < maxAttempts).toBe(true);
          if (turn.wasParked) expect(['none', 'parked', 'interrupted']).toContain(fate);
          if (fate !== 'again') return;
          expect(turn.attempt).toBeLessThan(maxAttempts);
          expect(turn.cancelled).toBe(false);
          if (turn.state === 'sent') expect(replay === true || (replay === 'unanswered' && !turn.answered)).toBe(true);
        },
      ),
    );
  });

  it('[F-4] without permission a lost turn is interrupted if its prompt was sent, and goes to the next worker if not', () => {
    const lost = { attempt: 1, answered: false, cancelled: false, resumable: false, wasParked: false };
    expect(fateOf({ ...lost, state: 'sent' }, 5, 'never')).toBe('interrupted');
    expect(fateOf({ ...lost, state: 'sent' }, 5, 'unanswered')).toBe('again');
    expect(fateOf({ ...lost, state: 'sent', answered: true }, 5, 'unanswered')).toBe('interrupted');
    expect(fateOf({ ...lost, state: 'claimed' }, 5, 'never')).toBe('again');
    expect(fateOf({ ...lost, state: 'claimed', attempt: 5 }, 5, 'never')).toBe('dead');
    expect(fateOf({ ...lost, state: 'claimed', cancelled: true }, 5, 'never')).toBe('cancelled');
  });

  it('[F-4] a lost turn whose prompt was sent is never dead: after the last attempt it is interrupted, because the agent may have acted on it', () => {
    const never = { cancelled: false, resumable: false, wasParked: false };
    const last = { ...never, state: 'sent', attempt: 3, answered: false } as const;
    for (const replay of [true, 'unanswered'] as const) {
      expect(fateOf({ ...last, attempt: 2 }, 3, replay)).toBe('again');
      expect(fateOf(last, 3, replay)).toBe('interrupted');
    }
  });

  it('[F-35] a lost turn that waits for an approval is parked, until it has had its attempts', () => {
    const waiting = {
      state: 'sent',
      attempt: 1,
      answered: true,
      cancelled: false,
      resumable: true,
      wasParked: false,
    } as const;
    expect(fateOf(waiting, 3, true)).toBe('parked');
    expect(fateOf({ ...waiting, cancelled: true }, 3, true)).toBe('interrupted');
    expect(fateOf({ ...waiting, state: 'claimed', wasParked: true }, 3, true)).toBe('parked');
    expect(fateOf({ ...waiting, wasParked: true, resumable: false }, 3, true)).toBe('interrupted');
    expect(fateOf({ ...waiting, attempt: 3, wasParked: true }, 3, true)).toBe('interrupted');
  });

  it('[F-9] cancel removes a waiting turn, interrupts a running one, and has no effect on one that has ended', () => {
    expect(TURN_STATES.map(cancelEffect)).toEqual(['take-out', 'interrupt', 'interrupt', 'interrupt', 'too-late']);
  });
});
