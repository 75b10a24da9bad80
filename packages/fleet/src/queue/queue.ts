import type { Transaction } from '../database/database.ts';

/**
 * What the fleet needs of a job queue. A job says that a conversation has work; the tables of the fleet say which. The
 * engine takes part in the caller's transaction.
 */
export interface Queue {
  /** Adds a job for the key. */
  send(sql: Transaction, job: NewJob): Promise<void>;
  /** Takes a job whose time has come, the highest priority first, except those of the tenants; undefined if there is none. */
  take(sql: Transaction, exceptTenants: readonly string[]): Promise<TakenJob | undefined>;
  /** Ends a taken job. */
  complete(sql: Transaction, id: string): Promise<void>;
  /** Gives a taken job back; it keeps its place in the queue. */
  release(sql: Transaction, id: string): Promise<void>;
  /** The next times of an expression after `from`, at most `count`. @throws SubmissionError if it cannot be used */
  nextRuns(expression: Pick<CronJob, 'cron' | 'timeZone'>, from: Date, count: number): Date[];
  schedule(schedule: CronJob): Promise<void>;
  unschedule(name: string): Promise<void>;
  schedules(): Promise<readonly CronJob[]>;
  /** Takes one due run of a schedule; undefined if there is none. The run ends with the transaction. */
  takeScheduled(sql: Transaction): Promise<ScheduledRun | undefined>;
  close(): Promise<void>;
}

export interface NewJob {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  readonly priority: number;
  readonly startAfter: Date | undefined;
}

export interface TakenJob {
  readonly id: string;
  readonly key: string;
}

export interface CronJob {
  readonly name: string;
  /** Five fields, as in crontab, or an RFC 5545 recurrence rule. */
  readonly cron: string;
  /** The time zone of the expression; UTC by default. */
  readonly timeZone: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ScheduledRun {
  readonly id: string;
  /** When the queue started it, by the clock of the database: at the time of the schedule, or within a minute after it. */
  readonly startedAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
}
