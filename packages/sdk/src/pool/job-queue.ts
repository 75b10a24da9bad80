/**
 * `warming`: started ahead of any job, `warm`: ready for any new key, `busy`: runs a job, `lingering`: has no job but
 * background work, `idle`: waits for its key's next job, `stopping`: its process has not exited yet.
 */
export type SlotPhase = 'warming' | 'warm' | 'busy' | 'lingering' | 'idle' | 'stopping';

/** A place for one process. */
export interface Slot {
  readonly id: number;
  phase: SlotPhase;
  /** The queue it takes jobs from; `null` for a warm one. */
  queue: string | null;
  /** It runs one job and is then stopped. */
  once: boolean;
  /** The profile its process was started with. */
  profile: string;
  /** The running job, also while the slot is stopping. */
  job: string | null;
  /** The sequence number of its last use: the lowest is evicted first. */
  used: number;
}

/** The data of a job that the scheduler needs. */
export interface QueuedJob {
  readonly id: string;
  /** The conversation it belongs to; `null` for a job without a key. */
  readonly key: string | null;
  readonly priority: number;
  /** It can run in any newly started session. */
  readonly fresh: boolean;
  /** The start options its process needs; a process only runs jobs of one profile. */
  readonly profile: string;
}

/** The queue with the lowest rank is served first; among queues of one rank, the one with the lowest order. */
export interface Rank {
  rank: number;
  order: number;
}

/** Jobs that run in order: those of one key, or those without a key that have the same priority. Never empty. */
export interface JobQueue extends Rank {
  readonly id: string;
  readonly key: string | null;
  jobs: readonly QueuedJob[];
}
