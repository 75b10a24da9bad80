import { AgentFunctionError } from '../errors.ts';

/**
 * Calls a function of the agent and waits for its result, but not for ever: it may have hung.
 * @throws AgentFunctionError after `ms`, the reason of the signal
 */
export function callAgent<T>(
  name: string,
  call: () => T | Promise<T>,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => finish(() => reject(signal.reason));
    const timer = setTimeout(
      () => finish(() => reject(new AgentFunctionError(name, `has not returned within ${Math.round(ms / 1000)} s.`))),
      ms,
    );
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      settle();
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    (async () => call())().then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}
