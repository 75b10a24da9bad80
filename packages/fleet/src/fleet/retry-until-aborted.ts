import { retryWhileUnavailable } from '../database/retry.ts';

/**
 * Repeats a read until the signal aborts, however long the database is down. A missing privilege is an error at once.
 * @throws the error of the last attempt
 */
export function retryUntilAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return retryWhileUnavailable(
    work,
    () => (signal?.aborted ? 0 : Number.POSITIVE_INFINITY),
    ({ reason }) => reason !== NO_PRIVILEGE,
  );
}

/** PostgreSQL's code for a missing privilege. */
export const NO_PRIVILEGE = '42501';
