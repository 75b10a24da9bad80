import { onTestFinished } from 'vitest';

/** Counts the calls of a timer function until the test is over. A spy of vitest's would bring a fake clock back later. */
export function countedCalls(name: 'setTimeout'): { readonly calls: number } {
  const original = globalThis[name];
  const counted = { calls: 0 };
  const counting = (...args: Parameters<typeof original>): NodeJS.Timeout => {
    counted.calls++;
    return original(...args);
  };
  globalThis[name] = Object.assign(counting, original);
  onTestFinished(() => {
    // The clock has put the real one back by now, unless there is none.
    if (globalThis[name] === counting) globalThis[name] = original;
  });
  return counted;
}
