import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isFinal,
  type LifecycleEffect,
  type LifecycleEvent,
  type LifecycleState,
  transition,
} from '../../src/session/lifecycle.ts';

const SENT: LifecycleEvent = { type: 'handshake-sent' };
const ANSWERED: LifecycleEvent = { type: 'handshake-answered' };
const FAILURE: LifecycleEvent = { type: 'failure' };
const STOP: LifecycleEvent = { type: 'stop' };
const exit = (clean: boolean, idle: boolean): LifecycleEvent => ({ type: 'exit', clean, idle });
const EVENTS = [
  SENT,
  ANSWERED,
  FAILURE,
  STOP,
  exit(true, true),
  exit(true, false),
  exit(false, true),
  exit(false, false),
];
const STATES: readonly LifecycleState[] = [
  'starting',
  'init-sent',
  'running',
  'stopping',
  'stopped',
  'ended',
  'failed',
];

type Row = readonly [LifecycleState, LifecycleEvent, LifecycleState, ...LifecycleEffect[]];
const unchanged = (state: LifecycleState, ...events: LifecycleEvent[]): Row[] =>
  events.map((event) => [state, event, state]);

const TABLE: readonly Row[] = [
  ['starting', SENT, 'init-sent'],
  ...unchanged('starting', ANSWERED),
  ['starting', FAILURE, 'failed', 'close'],
  ['starting', STOP, 'stopping', 'begin-stop'],
  ['starting', exit(true, true), 'failed', 'close'],
  ['starting', exit(true, false), 'failed', 'close'],
  ['starting', exit(false, true), 'failed', 'close'],
  ['starting', exit(false, false), 'failed', 'close'],

  ...unchanged('init-sent', SENT),
  ['init-sent', ANSWERED, 'running', 'ready'],
  ['init-sent', FAILURE, 'failed', 'close'],
  ['init-sent', STOP, 'stopping', 'begin-stop'],
  ['init-sent', exit(true, true), 'failed', 'close'],
  ['init-sent', exit(true, false), 'failed', 'close'],
  ['init-sent', exit(false, true), 'failed', 'close'],
  ['init-sent', exit(false, false), 'failed', 'close'],

  ...unchanged('running', SENT, ANSWERED),
  ['running', FAILURE, 'failed', 'close'],
  ['running', STOP, 'stopping', 'begin-stop'],
  ['running', exit(true, true), 'ended', 'close'],
  ['running', exit(true, false), 'failed', 'close'],
  ['running', exit(false, true), 'failed', 'close'],
  ['running', exit(false, false), 'failed', 'close'],

  ...unchanged('stopping', SENT, ANSWERED, FAILURE, STOP),
  ['stopping', exit(true, true), 'stopped', 'close'],
  ['stopping', exit(true, false), 'stopped', 'close'],
  ['stopping', exit(false, true), 'stopped', 'close'],
  ['stopping', exit(false, false), 'stopped', 'close'],

  ...unchanged('stopped', ...EVENTS),
  ...unchanged('ended', ...EVENTS),
  ...unchanged('failed', ...EVENTS),
];

const words = (event: LifecycleEvent): string =>
  event.type === 'exit' ? `exit${event.clean ? ', clean' : ''}${event.idle ? ', idle' : ''}` : event.type;

describe('the table', () => {
  it('[S-2] says something about every pair', () => {
    const pairs = TABLE.map(([state, event]) => `${state} × ${words(event)}`);
    expect(pairs).toEqual(STATES.flatMap((state) => EVENTS.map((event) => `${state} × ${words(event)}`)));
  });

  it.each(TABLE.map((row) => [row[0], words(row[1]), row[2], row] as const))(
    '[S-2, S-9] %s, %s: %s',
    (_from, _event, _to, [from, event, to, ...emit]) => {
      expect(transition(from, event)).toEqual({ state: to, emit });
    },
  );

  it('[S-2] exactly the last three are final', () => {
    expect(STATES.filter(isFinal)).toEqual(['stopped', 'ended', 'failed']);
  });
});

describe('any life', () => {
  it('[S-2, S-9] is ready at most once, is closed exactly once when it ends, and never comes back', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 20 }), (events) => {
        let state: LifecycleState = 'starting';
        const effects: LifecycleEffect[] = [];
        for (const event of events) {
          const step = transition(state, event);
          if (isFinal(state)) expect(step).toEqual({ state, emit: [] });
          state = step.state;
          effects.push(...step.emit);
        }
        const count = (effect: LifecycleEffect): number => effects.filter((one) => one === effect).length;
        expect(count('ready')).toBeLessThanOrEqual(1);
        expect(count('begin-stop')).toBeLessThanOrEqual(1);
        expect(count('close')).toBe(isFinal(state) ? 1 : 0);
        if (state === 'stopped') expect(count('begin-stop')).toBe(1);
        if (state === 'ended') expect(count('ready')).toBe(1);
      }),
    );
  });
});
