import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../errors.ts';

/**
 * Repeats work while the database cannot be reached or cannot do it now. `until` is a time of `performance.now()`, `longestMs` the
 * longest delay between attempts. @throws the error of the last attempt
 */
export async function retryWhileUnavailable<T>(
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
