import { whileUnavailable } from '../database/retry.ts';

/**
 * Repeats a read until the signal, however long the database is away. A user that may not read it gets the error.
 * @throws what the last try threw
 */
export function patiently<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return whileUnavailable(
    work,
    () => (signal?.aborted ? 0 : Number.POSITIVE_INFINITY),
    ({ reason }) => reason !== NO_PRIVILEGE,
  );
}

/** The code of PostgreSQL for a missing grant. */
export const NO_PRIVILEGE = '42501';
