/** How a session stands. The last three are final. */
export type LifecycleState = 'starting' | 'init-sent' | 'running' | 'stopping' | 'stopped' | 'ended' | 'failed';

/** What can happen to a session as a whole. */
export type LifecycleEvent =
  | { readonly type: 'handshake-sent' }
  | { readonly type: 'handshake-answered' }
  | { readonly type: 'failure' }
  | { readonly type: 'stop' }
  | { readonly type: 'exit'; readonly clean: boolean; readonly idle: boolean };

/** What the shell has to do: tell that the session is ready, begin to stop it, or close it for good. */
export type LifecycleEffect = 'ready' | 'begin-stop' | 'close';

/** One step. */
export interface LifecycleStep {
  readonly state: LifecycleState;
  readonly emit: readonly LifecycleEffect[];
}

/** True when nothing more can happen. */
export function isFinal(state: LifecycleState): boolean {
  return state === 'stopped' || state === 'ended' || state === 'failed';
}

/** True until the handshake is answered. */
export function isStarting(state: LifecycleState): boolean {
  return state === 'starting' || state === 'init-sent';
}

/** The table: what each event means in each state. */
export function transition(state: LifecycleState, event: LifecycleEvent): LifecycleStep {
  return TABLE[state][event.type](event) ?? { state, emit: [] };
}

type Cell = (event: LifecycleEvent) => LifecycleStep | undefined;
type Row = Readonly<Record<LifecycleEvent['type'], Cell>>;

const stay: Cell = () => undefined;
const to =
  (state: LifecycleState, ...emit: LifecycleEffect[]): Cell =>
  () => ({ state, emit });
const fail = to('failed', 'close');
const stop = to('stopping', 'begin-stop');

const FINAL: Row = {
  'handshake-sent': stay,
  'handshake-answered': stay,
  failure: stay,
  stop: stay,
  exit: stay,
};

const TABLE: Readonly<Record<LifecycleState, Row>> = {
  starting: {
    'handshake-sent': to('init-sent'),
    'handshake-answered': stay,
    failure: fail,
    stop,
    exit: fail,
  },
  'init-sent': {
    'handshake-sent': stay,
    'handshake-answered': to('running', 'ready'),
    failure: fail,
    stop,
    exit: fail,
  },
  running: {
    'handshake-sent': stay,
    'handshake-answered': stay,
    failure: fail,
    stop,
    exit: (event) =>
      event.type === 'exit' && event.clean && event.idle ? { state: 'ended', emit: ['close'] } : fail(event),
  },
  stopping: {
    'handshake-sent': stay,
    'handshake-answered': stay,
    failure: stay,
    stop: stay,
    exit: to('stopped', 'close'),
  },
  stopped: FINAL,
  ended: FINAL,
  failed: FINAL,
};
