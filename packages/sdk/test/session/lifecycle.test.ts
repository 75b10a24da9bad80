import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFinal, type LifecycleEvent, type LifecycleState, transition } from '../../src/connection/state.ts';

const EVENTS = ['handshake-sent', 'handshake-answered', 'failure', 'stop', 'idle-exit', 'exit'] as const;
const STATES = ['starting', 'init-sent', 'running', 'stopping', 'stopped', 'ended', 'failed'] as const;

type Row = readonly [LifecycleState, LifecycleEvent, LifecycleState];
const unchanged = (state: LifecycleState, ...events: LifecycleEvent[]): Row[] =>
  events.map((event) => [state, event, state]);

const TABLE: readonly Row[] = [
  ['starting', 'handshake-sent', 'init-sent'],
  ...unchanged('starting', 'handshake-answered'),
  ['starting', 'failure', 'failed'],
  ['starting', 'stop', 'stopping'],
  ['starting', 'idle-exit', 'failed'],
  ['starting', 'exit', 'failed'],

  ...unchanged('init-sent', 'handshake-sent'),
  ['init-sent', 'handshake-answered', 'running'],
  ['init-sent', 'failure', 'failed'],
  ['init-sent', 'stop', 'stopping'],
  ['init-sent', 'idle-exit', 'failed'],
  ['init-sent', 'exit', 'failed'],

  ...unchanged('running', 'handshake-sent', 'handshake-answered'),
  ['running', 'failure', 'failed'],
  ['running', 'stop', 'stopping'],
  ['running', 'idle-exit', 'ended'],
  ['running', 'exit', 'failed'],

  ...unchanged('stopping', 'handshake-sent', 'handshake-answered', 'failure', 'stop'),
  ['stopping', 'idle-exit', 'stopped'],
  ['stopping', 'exit', 'stopped'],

  ...unchanged('stopped', ...EVENTS),
  ...unchanged('ended', ...EVENTS),
  ...unchanged('failed', ...EVENTS),
];

describe('the lifecycle table of a session', () => {
  it('[S-2] covers every pair', () => {
    const pairs = TABLE.map(([state, event]) => [state, event]);
    expect(pairs).toEqual(STATES.flatMap((state) => EVENTS.map((event) => [state, event])));
  });

  it.each(TABLE)('[S-2, S-9] %s, %s: %s', (from, event, to) => {
    expect(transition(from, event)).toBe(to);
  });

  it('[S-2] has exactly three final states, the last ones', () => {
    expect(STATES.filter(isFinal)).toEqual(['stopped', 'ended', 'failed']);
  });
});

describe('any sequence of lifecycle events', () => {
  it('[S-2, S-9] becomes ready at most once, ends at most once, and is never reversed', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 20 }), (events) => {
        let state: LifecycleState = 'starting';
        const entered: LifecycleState[] = [];
        for (const event of events) {
          const next = transition(state, event);
          if (isFinal(state)) expect(next).toBe(state);
          if (next !== state) entered.push(next);
          state = next;
        }
        expect(new Set(entered).size).toBe(entered.length);
        expect(entered.filter(isFinal)).toHaveLength(isFinal(state) ? 1 : 0);
        if (state === 'stopped') expect(entered).toContain('stopping');
        if (state === 'ended') expect(entered).toContain('running');
      }),
    );
  });
});
