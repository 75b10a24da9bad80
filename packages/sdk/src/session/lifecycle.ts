/** The state of a session. The last three are final. */
export type LifecycleState = 'starting' | 'init-sent' | 'running' | 'stopping' | 'stopped' | 'ended' | 'failed';

/** What can happen to a session as a whole. */
export type LifecycleEvent =
  | { readonly type: 'handshake-sent' }
  | { readonly type: 'handshake-answered' }
  | { readonly type: 'failure' }
  | { readonly type: 'stop' }
  | { readonly type: 'exit'; readonly clean: boolean; readonly idle: boolean };

/** What the session must do: send prompts, begin to stop, or close. */
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

/** What an event means in a state. */
export function transition(state: LifecycleState, event: LifecycleEvent): LifecycleStep {
  return TABLE[state][event.type]?.(event) ?? { state, emit: [] };
}

type Cell = (event: LifecycleEvent) => LifecycleStep;

const to =
  (state: LifecycleState, ...emit: LifecycleEffect[]): Cell =>
  () => ({ state, emit });
const fail = to('failed', 'close');
const stop = to('stopping', 'begin-stop');
const exit: Cell = (event) =>
  event.type === 'exit' && event.clean && event.idle ? { state: 'ended', emit: ['close'] } : fail(event);

/** An event without a cell changes nothing. */
const TABLE: Readonly<Record<LifecycleState, Partial<Readonly<Record<LifecycleEvent['type'], Cell>>>>> = {
  starting: { 'handshake-sent': to('init-sent'), failure: fail, stop, exit: fail },
  'init-sent': { 'handshake-answered': to('running', 'ready'), failure: fail, stop, exit: fail },
  running: { failure: fail, stop, exit },
  stopping: { exit: to('stopped', 'close') },
  stopped: {},
  ended: {},
  failed: {},
};
