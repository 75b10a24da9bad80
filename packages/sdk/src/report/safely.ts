import { isThenable } from '../timing/timers.ts';

/** Calls a callback that only watches: what it throws, or rejects with, changes nothing. */
export function safely(call: () => unknown): void {
  try {
    const returned = call();
    // The failure of an async callback must not become an unhandled rejection.
    if (isThenable(returned)) Promise.resolve(returned).catch(() => {});
  } catch {
    // It cannot break what it watches.
  }
}
