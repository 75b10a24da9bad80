import { afterEach, beforeEach, vi } from 'vitest';

/** Puts the timers and dates of a test file under its tests' control; `setImmediate` and promises run on. */
export function fakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Lets time pass, and everything that waits for it or for a promise happen. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise((resolve) => setImmediate(resolve));
}
