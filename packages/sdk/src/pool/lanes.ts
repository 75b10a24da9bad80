import { HIGHEST_PRIORITY } from './priority.ts';

/** A job as the scheduler knows it. */
export interface WaitingJob {
  readonly id: string;
  /** The conversation it belongs to; `null` for a job on its own. */
  readonly key: string | null;
  readonly priority: number;
  /** It may run in any session that has just been started. */
  readonly fresh: boolean;
  /** What its process must have been started with; a process serves jobs of one profile only. */
  readonly profile: string;
}

/** Jobs that take turns: those of one key, or those of one priority that have none. */
export interface Lane {
  readonly id: string;
  readonly key: string | null;
  /** In order, never empty. */
  readonly jobs: readonly WaitingJob[];
  /** Its place in the line: the lowest goes first. */
  readonly rank: number;
  /** Tells lanes of one rank apart: who came first. */
  readonly order: number;
}

/** Where the line stands. */
export interface Line {
  /** How many jobs have been started: the clock of the line. */
  readonly starts: number;
  /** What one step of priority is worth, in starts. */
  readonly ageing: number;
  /** Higher with every lane that joins. */
  readonly order: number;
}

/** The lane a job waits in. */
export function laneOf({ key, priority }: WaitingJob): string {
  return key === null ? `priority ${priority}` : `key ${key}`;
}

/** Adds a job. It may bring its lane forward, but does not overtake the jobs of its own key. */
export function joinLane(lane: Lane | undefined, job: WaitingJob, line: Line): Lane {
  if (lane === undefined) return inLine([job], line);
  return { ...lane, jobs: [...lane.jobs, job], rank: Math.min(lane.rank, rankOf([job], line)) };
}

/**
 * What is left of a lane when its first job starts: it lines up anew, behind those that wait. A conversation that has
 * begun is not fresh any more.
 */
export function leaveLane({ key, jobs }: Lane, line: Line): Lane | undefined {
  const [next, ...others] = jobs.slice(1).map((job) => (key === null ? job : { ...job, fresh: false }));
  return next && inLine([next, ...others], line);
}

/** What is left of a lane when a job is taken out of it. Its place in the line stays. */
export function withoutJob(lane: Lane, id: string): Lane | undefined {
  const jobs = lane.jobs.filter((job) => job.id !== id);
  return jobs.length === 0 ? undefined : { ...lane, jobs };
}

/**
 * A lane's place: when it joined, and so many starts later as its priority is below the highest. So a low priority is
 * passed by later ones for a bounded number of starts only, and within a priority lanes take turns.
 */
export function rankOf(jobs: readonly WaitingJob[], { starts, ageing }: Line): number {
  const priority = jobs.reduce((highest, job) => Math.max(highest, job.priority), -HIGHEST_PRIORITY);
  return starts + (HIGHEST_PRIORITY - priority) * ageing;
}

function inLine(jobs: readonly [WaitingJob, ...WaitingJob[]], line: Line): Lane {
  const [{ key }] = jobs;
  return { id: laneOf(jobs[0]), key, jobs, rank: rankOf(jobs, line), order: line.order };
}
