import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../errors.ts';

/**
 * Repeats work while the database cannot be reached, or cannot do it at the moment. `until` is a time of `performance.now()`,
 * `longestMs` the longest wait in between. @throws what the last try threw
 */
export async function whileUnavailable<T>(
  work: () => Promise<T>,
  until: () => number,
  isWorthwhile: (error: DatabaseUnavailableError) => boolean = () => true,
  longestMs = 2_000,
): Promise<T> {
  for (let wait = 50; ; wait = Math.min(wait * 2, longestMs)) {
    try {
      return await work();
    } catch (error) {
      const left = until() - performance.now();
      if (!(error instanceof DatabaseUnavailableError) || left <= 0 || !isWorthwhile(error)) throw error;
      await delay(Math.min(left, wait * (0.5 + Math.random() / 2)));
    }
  }
}
