/** The state of a session. The last three are final. */
export type LifecycleState = 'starting' | 'init-sent' | 'running' | 'stopping' | 'stopped' | 'ended' | 'failed';

/**
 * What can happen to a connection as a whole. `prompt-given`: a CLI that reads one prompt to EOF has it, and there is no
 * handshake. `kill`: the process is ended without a word to the CLI. `idle-exit`: the CLI exited with code 0 while it had nothing to do.
 */
export type LifecycleEvent =
  | 'handshake-sent'
  | 'handshake-answered'
  | 'prompt-given'
  | 'failure'
  | 'kill'
  | 'stop'
  | 'idle-exit'
  | 'exit';

/** True when nothing more can happen. */
export function isFinal(state: LifecycleState | 'restarting'): boolean {
  return state === 'stopped' || state === 'ended' || state === 'failed';
}

/** True until the handshake is answered. */
export function isStarting(state: LifecycleState): boolean {
  return state === 'starting' || state === 'init-sent';
}

/** The state after an event. */
export function transition(state: LifecycleState, event: LifecycleEvent): LifecycleState {
  return TABLE[state][event] ?? state;
}

const alive = { failure: 'failed', kill: 'stopped', stop: 'stopping', 'idle-exit': 'failed', exit: 'failed' } as const;

/** Unlisted events change nothing. */
const TABLE: Readonly<Record<LifecycleState, Partial<Readonly<Record<LifecycleEvent, LifecycleState>>>>> = {
  starting: { ...alive, 'handshake-sent': 'init-sent', 'prompt-given': 'running' },
  'init-sent': { ...alive, 'handshake-answered': 'running' },
  running: { ...alive, 'idle-exit': 'ended' },
  stopping: { 'idle-exit': 'stopped', exit: 'stopped' },
  stopped: {},
  ended: {},
  failed: {},
};
