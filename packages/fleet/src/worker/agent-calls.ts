import { AgentFunctionError } from '../errors.ts';
import { guarded } from './process-guard.ts';

/** How a run calls functions of its agent. */
export interface AgentCalls {
  /** Calls a function of the agent, or code that calls it later. */
  guarded<T>(name: string, call: () => T): T;
  /** Calls a function of the agent and waits for its result, until the signal or the time limit. @throws AgentFunctionError */
  call<T>(name: string, call: () => T | Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** The calls of one run. `onFault` receives errors of the agent's functions outside of any call. */
export function agentCalls(options: {
  readonly onFault: (error: unknown) => void;
  readonly ms: number;
  /** The default signal. */
  readonly signal: AbortSignal;
}): AgentCalls {
  const { onFault, ms } = options;
  const calls: AgentCalls = {
    guarded: (name, call) => guarded({ name, onFault }, call),
    call: (name, call, signal = options.signal) => callAgent(name, () => calls.guarded(name, call), { ms, signal }),
  };
  return calls;
}

/**
 * Calls a function of the agent and waits for its result, but not forever: it may hang.
 * @throws AgentFunctionError after `ms`, the reason of the signal
 */
function callAgent<T>(
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
