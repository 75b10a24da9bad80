import type { AsyncResource } from 'node:async_hooks';
import { getMaxListeners, setMaxListeners } from 'node:events';

/**
 * Calls `run` once the signal is aborted, until the returned function is called. Any number of runs may share a signal:
 * each makes room for its own listener, so that Node still warns of somebody else's leak but never of us.
 */
export function onAbort(signal: AbortSignal | undefined, run: () => void): () => void {
  if (signal === undefined) return () => {};
  makeRoom(signal, 1);
  signal.addEventListener('abort', run, { once: true });
  let listening = true;
  return () => {
    if (!listening) return;
    listening = false;
    signal.removeEventListener('abort', run);
    makeRoom(signal, -1);
  };
}

function makeRoom(signal: AbortSignal, listeners: number): void {
  try {
    setMaxListeners(getMaxListeners(signal) + listeners, signal);
  } catch {
    // A signal of another library has no limit; Node also throws when asked for one that is 0, which means none.
  }
}

/** Runs something in a certain async context, with the `this` and the arguments it is to have. */
export type InContext = AsyncResource['runInAsyncScope'];

/** Remembers what AsyncLocalStorage holds now. */
export function currentContext(): InContext {
  // Half of what AsyncLocalStorage.snapshot() costs per call on Node 20.
  const { AsyncResource } = process.getBuiltinModule('node:async_hooks');
  const resource = new AsyncResource('COXSWAIN');
  return resource.runInAsyncScope.bind(resource);
}
