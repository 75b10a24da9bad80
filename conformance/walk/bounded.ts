import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';

/** No step of a walk needs a hundredth of this; the rest is for a machine on which a handshake takes 80 s. */
export const BOUND_MS = 900_000;

/** Waits for a promise, and records a timeout instead of rejecting. */
export async function bounded<T>(ledger: Ledger, what: string, awaited: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = sleep(BOUND_MS, undefined, { signal: over.signal }).then(
    () => ledger.problem('hangs', `Waited ${BOUND_MS} ms for ${what}.`),
    () => {},
  );
  try {
    return (await Promise.race([awaited, late])) ?? undefined;
  } finally {
    over.abort();
  }
}
