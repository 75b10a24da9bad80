import { isThenable } from '../timing/timers.ts';

/** Calls a callback that only observes: its exceptions and rejections have no effect. */
export function safely(call: () => unknown): void {
  try {
    const returned = call();
    // The failure of an async callback must not become an unhandled rejection.
    if (isThenable(returned)) Promise.resolve(returned).catch(() => {});
  } catch {
    // An observer's failure must not affect what it observes.
  }
}
