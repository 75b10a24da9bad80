import type { DatabaseHealth } from '../database/database.ts';
import { reasonOf } from '../database/failure.ts';
import { DatabaseUnavailableError } from '../errors.ts';

/** The health of a worker, for load balancers and operators. */
export interface WorkerHealth {
  /** True if the worker claims turns: it is not draining, it can write to the database, and its last search for a turn succeeded. */
  readonly ready: boolean;
  readonly draining: boolean;
  readonly running: number;
  readonly slots: number;
  /** Processes that wait for the next turns of their conversations. */
  readonly warm: number;
  /** Processes that wait for conversations that begin. */
  readonly spare: number;
  readonly database: DatabaseHealth & {
    /** True if the last heartbeat was stored; false in a read-only window, for example, with the `reason`. */
    readonly writable: boolean;
  };
  /** Why the last search for a turn failed; undefined if it succeeded. */
  readonly problem: string | undefined;
  /** True if notifications arrive; without them, the worker only polls. */
  readonly listening: boolean;
  /** Number of turns that this worker has ended since its start. */
  readonly turnsEnded: number;
  /** Number of turns that ran on a process that was kept from an earlier turn, or started before. */
  readonly turnsReused: number;
}

/** The reason of a failure, in a few characters. */
export function problemOf(error: unknown): string {
  return (error instanceof DatabaseUnavailableError ? error.reason : reasonOf(error)) ?? 'unknown';
}
