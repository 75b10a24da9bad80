import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';

/** Nothing in a walk takes a tenth of this by itself; the rest is for a machine with much to do. */
const BOUND_MS = 25_000;

/** Waits for something, and notes when it does not come. Never rejects for that. */
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
