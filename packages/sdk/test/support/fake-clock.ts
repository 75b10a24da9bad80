import { afterEach, beforeEach, vi } from 'vitest';

/** Puts the importing file's timers and dates under the test's control; `setImmediate` and promises run on. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass, and everything that waits for it or for a promise happen. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise((resolve) => setImmediate(resolve));
}
