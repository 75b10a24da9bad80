import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterDeath,
  afterTurn,
  backoff,
  type Death,
  defaultPolicy,
  type RestartLimits,
  untroubled,
} from '../../src/restart/policy.ts';

const KILLED: Death = { idleExit: false, everReady: true, code: 'process', otherWay: false, lost: false };
const policy: RestartLimits = { ...defaultPolicy.restart, maxRestarts: 3, windowMs: 10_000, delayMs: 100 };

describe('the restart policy after a CLI has exited', () => {
  it('[A-2] restarts with growing delays, as often as the window allows', () => {
    const decisions: unknown[] = [];
    let state = untroubled;
    for (const now of [0, 1_000, 2_000, 3_000]) {
      const step = afterDeath(state, KILLED, { policy, now, random: 0 });
      state = step.state;
      decisions.push(step.decision);
    }
    expect(decisions).toEqual([
      { kind: 'restart', attempt: 1, delayMs: 100 },
      { kind: 'restart', attempt: 2, delayMs: 200 },
      { kind: 'restart', attempt: 3, delayMs: 400 },
      { kind: 'give-up', why: 'limit' },
    ]);
    const later = afterDeath(state, KILLED, { policy, now: 10_001, random: 0 });
    expect(later.decision).toMatchObject({ kind: 'restart', attempt: 4 });
    expect(later.state.restarts).toEqual([1_000, 2_000, 10_001]);
  });

  it('[A-2] resets the delay after a completed turn, but not the count', () => {
    const { state } = afterDeath(untroubled, KILLED, { policy, now: 0, random: 0 });
    const well = afterTurn(state);
    expect(well).toEqual({ restarts: [0], attempt: 0 });
    expect(afterTurn(well)).toBe(well);
    expect(afterDeath(well, KILLED, { policy, now: 1, random: 0 }).decision).toMatchObject({
      attempt: 1,
      delayMs: 100,
    });
  });

  it.each([
    ['ends the session if an idle CLI has exited', { idleExit: true }, {}, { kind: 'end' }],
    [
      'restarts an idle CLI that has exited if idleExit is restart',
      { idleExit: true },
      { idleExit: 'restart' },
      { kind: 'restart' },
    ],
    ['does not retry a first start', { everReady: false }, {}, { kind: 'give-up', why: 'hopeless' }],
    [
      'retries a first start if firstStart is retry',
      { everReady: false },
      { firstStart: 'retry' },
      { kind: 'restart' },
    ],
    ['does not replace a lost conversation by a new one', { lost: true }, {}, { kind: 'give-up', why: 'hopeless' }],
    ['does not retry invalid options', { code: 'options' }, {}, { kind: 'give-up', why: 'hopeless' }],
    [
      'does not retry a CLI that is too old',
      { code: 'unsupported-cli-version' },
      {},
      { kind: 'give-up', why: 'hopeless' },
    ],
    ['retries a missing CLI, which may be being updated', { code: 'cli-not-found' }, {}, { kind: 'restart' }],
    ['tries the other way to resume at once', { otherWay: true }, {}, { kind: 'restart', attempt: 0, delayMs: 0 }],
    ['gives up at once if no restarts are allowed', {}, { maxRestarts: 0 }, { kind: 'give-up', why: 'limit' }],
  ] as const)('[A-2] %s', (_, death, changes, decision) => {
    const terms = { policy: { ...policy, ...changes }, now: 0, random: 0 };
    expect(afterDeath(untroubled, { ...KILLED, ...death }, terms).decision).toMatchObject(decision);
  });

  it('[A-2] never restarts more often in a window than allowed', () => {
    const deaths = fc.array(fc.record({ gap: fc.nat(5_000), turn: fc.boolean() }), { maxLength: 40 });
    fc.assert(
      fc.property(deaths, fc.integer({ min: 0, max: 5 }), (steps, maxRestarts) => {
        let [state, now] = [untroubled, 0];
        const restarts: number[] = [];
        for (const { gap, turn } of steps) {
          now += gap;
          if (turn) state = afterTurn(state);
          const step = afterDeath(state, KILLED, { policy: { ...policy, maxRestarts }, now, random: 0.5 });
          state = step.state;
          if (step.decision.kind === 'restart') restarts.push(now);
        }
        for (const at of restarts) {
          expect(restarts.filter((other) => other > at - policy.windowMs && other <= at).length).toBeLessThanOrEqual(
            maxRestarts,
          );
        }
      }),
    );
  });

  it('[A-2] limits the delay, which jitter only shortens', () => {
    const terms = { delayMs: 100, maxDelayMs: 1_000, jitter: 0.5 };
    expect([1, 2, 3, 4, 5, 60].map((nth) => backoff(nth, terms, 0))).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(backoff(1, terms, 1)).toBe(50);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (nth, random) => {
        const ms = backoff(nth, terms, random);
        expect(ms).toBeGreaterThanOrEqual(50);
        expect(ms).toBeLessThanOrEqual(1_000);
      }),
    );
  });
});
