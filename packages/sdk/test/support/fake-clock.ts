import { afterEach, beforeEach, vi } from 'vitest';

/** Replaces timers and dates in a test file; `setImmediate` and promises are real. */
export function fakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Advances the time, and runs everything that depends on it or on a promise. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise((resolve) => setImmediate(resolve));
}
