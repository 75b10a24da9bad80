import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailedError, type StoreOperation } from '../errors/store.ts';
import type { Limits } from '../limits.ts';
import { within } from '../timing/timers.ts';

/** How often a store is asked, and how long it may take each time. */
export type StoreTerms = Pick<Limits, 'storeTimeoutMs' | 'storeLoadMs' | 'storeAttempts' | 'storeRetryMs'>;

/**
 * Calls a store until it answers: a call that fails or takes too long is repeated after a wait that doubles each time.
 * @throws StoreFailedError
 */
export async function attempt<T>(
  operation: StoreOperation,
  call: () => Promise<T>,
  terms: StoreTerms,
  sessionId: string,
): Promise<T> {
  const deadlineMs = operation === 'load' ? terms.storeLoadMs : terms.storeTimeoutMs;
  let cause: unknown;
  for (let nth = 1; nth <= terms.storeAttempts; nth += 1) {
    if (nth > 1) await sleep(terms.storeRetryMs * 2 ** (nth - 2));
    try {
      const answered = await within(
        deadlineMs,
        // A store that throws at once must not end the loop.
        (async () => ({ value: await call() }))(),
      );
      if (answered) return answered.value;
      cause = new Error(`it did not answer within ${deadlineMs} ms`);
    } catch (error) {
      cause = error;
    }
  }
  throw new StoreFailedError({ operation, sessionId, attempts: terms.storeAttempts, cause });
}
