import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls until the condition holds, and returns its value.
 * @throws Error with `what` if it does not hold within `timeoutMs` (20 s).
 */
export async function waitUntil<T>(
  condition: () => T | Promise<T>,
  options: { readonly timeoutMs?: number; readonly what?: string } = {},
): Promise<Truthy<T>> {
  const { timeoutMs = 20_000, what = 'the condition' } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    // The compiler does not narrow a type parameter by truthiness.
    if (value) return value as Truthy<T>;
    if (performance.now() >= deadline) throw new Error(`Timed out after ${timeoutMs} ms waiting for ${what}.`);
    await sleep(20);
  }
}

type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;
