import type { AsyncResource } from 'node:async_hooks';
import { getMaxListeners, setMaxListeners } from 'node:events';
import { AbortError } from '../errors/stream.ts';
import type { Redactor } from '../redact.ts';

/**
 * Calls `run` once the signal is aborted, until the returned function is called. Any number of runs may share a signal:
 * each raises the limit of listeners by its own, so that Node still warns about leaks elsewhere but not about these.
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

/** The error of an aborted operation. The signal may be that of another library, and its reason can be anything. */
export function abortError(signal: AbortSignal | undefined, redact?: Redactor): AbortError {
  try {
    return new AbortError(signal?.reason, 'signal', redact);
  } catch (error) {
    return new AbortError(error, 'signal', redact);
  }
}

function makeRoom(signal: AbortSignal, listeners: number): void {
  try {
    setMaxListeners(getMaxListeners(signal) + listeners, signal);
  } catch {
    // A signal of another library has no limit. Node also throws for the limit 0, which means no limit.
  }
}

/** Runs a function in a certain async context, with the given `this` and arguments. */
export type InContext = AsyncResource['runInAsyncScope'];

/** Captures what AsyncLocalStorage holds now. */
export function currentContext(): InContext {
  // Half of what AsyncLocalStorage.snapshot() costs per call on Node 20.
  const { AsyncResource } = process.getBuiltinModule('node:async_hooks');
  const resource = new AsyncResource('COXSWAIN');
  return resource.runInAsyncScope.bind(resource);
}
