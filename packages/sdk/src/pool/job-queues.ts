/** The highest priority of a job; the lowest is its negative. */
export const HIGHEST_PRIORITY = 10;

/** A job as the scheduler sees it. */
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

/** Jobs that run in order: those of one key, or those without a key that have the same priority. */
export interface JobQueue {
  readonly id: string;
  readonly key: string | null;
  /** In order, never empty. */
  readonly jobs: readonly QueuedJob[];
  /** The queue with the lowest rank is served first. */
  readonly rank: number;
  /** Breaks ties: among queues of one rank the lowest order is served first. */
  readonly order: number;
}

/** What ranks are computed from. */
export interface QueueClock {
  /** How many jobs have been started so far. */
  readonly starts: number;
  /** How many starts one step of priority is worth. */
  readonly ageing: number;
  /** Increases with every queue that is ranked. */
  readonly order: number;
}

/** The id of the queue a job belongs to. */
export function queueIdOf({ key, priority }: QueuedJob): string {
  return key === null ? `priority ${priority}` : `key ${key}`;
}

/** Appends a job. It can move its queue forward, but does not overtake earlier jobs of its key. */
export function withJob(queue: JobQueue | undefined, job: QueuedJob, clock: QueueClock): JobQueue {
  if (queue === undefined) return newQueue([job], clock);
  return { ...queue, jobs: [...queue.jobs, job], rank: Math.min(queue.rank, rankOf([job], clock)) };
}

/**
 * Removes the first job because it starts. The rest is ranked again, behind the queues that already wait. Once a key's
 * conversation has started, its jobs are no longer fresh.
 */
export function withoutFirst({ key, jobs }: JobQueue, clock: QueueClock): JobQueue | undefined {
  const [next, ...others] = jobs.slice(1).map((job) => (key === null ? job : { ...job, fresh: false }));
  return next && newQueue([next, ...others], clock);
}

/** Removes a job that will not start. The rank of the queue stays. */
export function withoutJob(queue: JobQueue, id: string): JobQueue | undefined {
  const jobs = queue.jobs.filter((job) => job.id !== id);
  return jobs.length === 0 ? undefined : { ...queue, jobs };
}

/**
 * The number of starts so far, plus a handicap for each step below the highest priority. This bounds how many later
 * starts can overtake a job of low priority, and makes queues of one priority take turns.
 */
export function rankOf(jobs: readonly QueuedJob[], { starts, ageing }: QueueClock): number {
  const priority = jobs.reduce((highest, job) => Math.max(highest, job.priority), -HIGHEST_PRIORITY);
  return starts + (HIGHEST_PRIORITY - priority) * ageing;
}

function newQueue(jobs: readonly [QueuedJob, ...QueuedJob[]], clock: QueueClock): JobQueue {
  const [{ key }] = jobs;
  return { id: queueIdOf(jobs[0]), key, jobs, rank: rankOf(jobs, clock), order: clock.order };
}
