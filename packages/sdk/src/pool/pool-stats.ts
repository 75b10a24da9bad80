import type { JobOutcome } from './job-outcome.ts';

/** The state of a pool, and its counters. */
export interface PoolStats {
  readonly state: 'open' | 'draining' | 'stopping' | 'closed';
  readonly size: number;
  readonly queued: number;
  readonly running: number;
  /** How many processes are in which state; `starting` ones have no job yet. */
  readonly sessions: Readonly<Record<'busy' | 'idle' | 'warm' | 'starting' | 'stopping', number>>;
  /** How many conversations are remembered. */
  readonly keys: number;
  /** Until when no job is started because of a rate limit, in ms since the epoch. */
  readonly pausedUntil: number | null;
  /** Jobs that have ended, by the status of their outcome. */
  readonly jobs: Readonly<Record<JobOutcome['status'], number>>;
  /** Counters of session events. */
  readonly totals: Readonly<Record<'started' | 'adopted' | 'resumed' | 'evicted' | 'failed' | 'replaced', number>>;
}
