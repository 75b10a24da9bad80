import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailedError, type StoreOperation } from '../errors/store.ts';
import type { Limits } from '../limits.ts';
import { kindOf } from '../options/checks.ts';
import { onAbort } from '../timing/caller.ts';
import { within } from '../timing/timers.ts';

/** Retries and timeouts of store calls. */
export type StoreTerms = Pick<Limits, 'storeTimeoutMs' | 'storeLoadMs' | 'storeAttempts' | 'storeRetryMs'> &
  Partial<Pick<Limits, 'maxBlobBytes'>>;

/**
 * Calls a store until it answers. Repeats a call that fails or times out, after a delay that doubles each time. Stops waiting
 * for the store or the delay once the signal is aborted.
 * @throws StoreFailedError, and the reason of the signal
 */
export async function attempt<T>(
  operation: StoreOperation,
  call: () => Promise<T>,
  terms: StoreTerms,
  sessionId: string,
  signal?: AbortSignal,
): Promise<T> {
  const deadlineMs = operation === 'load' ? terms.storeLoadMs : terms.storeTimeoutMs;
  let cause: unknown;
  for (let nth = 1; nth <= terms.storeAttempts; nth += 1) {
    if (nth > 1) await sleep(terms.storeRetryMs * 2 ** (nth - 2), undefined, { signal }).catch(() => {});
    signal?.throwIfAborted();
    try {
      // A synchronous exception of the store must not end the loop.
      const answer = (async () => ({ value: await call() }))();
      const answered = await within(deadlineMs, unlessAborted(answer, signal));
      if (answered) return answered.value;
      cause = new Error(`it did not answer within ${deadlineMs} ms`);
    } catch (error) {
      cause = error;
    }
  }
  signal?.throwIfAborted();
  throw new StoreFailedError({ operation, sessionId, attempts: terms.storeAttempts, cause });
}

/** Converts a thrown value to a store failure. */
export function storeFailure(operation: StoreOperation, sessionId: string, thrown: unknown): StoreFailedError {
  if (thrown instanceof StoreFailedError) return thrown;
  return new StoreFailedError({ operation, sessionId, attempts: 1, cause: thrown });
}

/**
 * Checks the list that a method of a store returned. Stores are application code and may violate their declared types.
 * @throws TypeError
 */
export function listIn<T>(
  found: unknown,
  isWanted: (value: unknown) => value is T,
  { method, wanted }: { readonly method: string; readonly wanted: string },
): readonly T[] {
  if (!Array.isArray(found)) throw unwanted(method, kindOf(found), wanted);
  const odd = found.findIndex((value) => !isWanted(value));
  if (odd >= 0) throw unwanted(method, `a list with ${kindOf(found[odd])} in it`, wanted);
  return found;
}

/** The error for a return value that violates the declared type of a store. */
export function unwanted(method: string, found: string, wanted: string): TypeError {
  return new TypeError(`its ${method} returned ${found} instead of ${wanted}`);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(forget);
  });
}
