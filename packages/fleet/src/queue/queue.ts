import type { NoticeKind } from '../approval/notice.ts';
import type { Transaction } from '../database/database.ts';
import type { Routes } from './routes.ts';

/**
 * The job queue of the fleet. A job means that a conversation has work; the fleet's tables determine which. The queue takes part in the
 * caller's transaction.
 */
export interface Queue {
  /** Adds a job for the key. */
  send(sql: Transaction, job: NewJob): Promise<void>;
  /** Adds jobs in one statement. */
  sendAll(sql: Transaction, jobs: readonly NewJob[]): Promise<void>;
  /** Fetches a due job that a worker with these routes may run, the highest priority first, except those of the tenants; undefined if there is none. */
  fetch(sql: Transaction, exceptTenants: readonly string[], routes: Routes): Promise<FetchedJob | undefined>;
  /** Makes jobs due whose keys wait for a certain worker. */
  makeDue(sql: Transaction, ids: readonly string[]): Promise<void>;
  /** Completes a fetched job. */
  complete(sql: Transaction, id: string): Promise<void>;
  /** Releases a fetched job; it keeps its place in the queue. */
  release(sql: Transaction, id: string): Promise<void>;
  /** Postpones a waiting job whose conversation could not be claimed, and records why. */
  setAside(sql: Transaction, id: string, why: ClaimFailure): Promise<void>;
  /** The conversations whose jobs were set aside, and not claimed since. */
  listSetAside(): Promise<readonly SetAside[]>;
  /** The next times of an expression after `from`, at most `count`. @throws SubmissionError if it is invalid */
  nextRuns(expression: Pick<CronJob, 'cron' | 'timeZone'>, from: Date, count: number): Date[];
  schedule(schedule: CronJob): Promise<void>;
  unschedule(name: string): Promise<void>;
  schedules(): Promise<readonly CronJob[]>;
  /** Fetches one due run of a schedule; undefined if there is none. The commit of the transaction completes the run. */
  fetchScheduled(sql: Transaction): Promise<ScheduledRun | undefined>;
  /** Postpones a due run of a schedule; `data` is that of the run. */
  postponeScheduled(sql: Transaction, id: string, data: ScheduledRun['data'], forMs: number): Promise<void>;
  /** Sets a timer for an approval, by the clock of the database; it survives every process. */
  setTimer(sql: Transaction, approval: string, afterMs: number): Promise<void>;
  /** Fetches the approval of one timer that is due; undefined if there is none. The commit of the transaction completes the timer. */
  fetchTimer(sql: Transaction): Promise<string | undefined>;
  /** Queues a notice about an approval for each target that this process was opened with. */
  announce(sql: Transaction, approval: string, kind: NoticeKind): Promise<void>;
  /** Fetches notices that are due. One that is neither completed nor retried within two minutes is fetched again. */
  fetchNotices(target: NoticeTarget): Promise<readonly NoticeJob[]>;
  completeNotice(target: NoticeTarget, id: string): Promise<void>;
  /** Releases a notice for its next attempt, later and later. */
  retryNotice(target: NoticeTarget, id: string): Promise<void>;
  close(): Promise<void>;
}

/** Who receives notices about approvals: `notify` or `onApproval` of a worker. */
export type NoticeTarget = 'webhook' | 'function';

export interface NoticeJob {
  /** The same for each attempt. */
  readonly id: string;
  readonly approval: string;
  readonly kind: NoticeKind;
  readonly at: Date;
  /** Counts from 1. */
  readonly attempt: number;
  readonly isLast: boolean;
}

export interface NewJob {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  readonly agent: string;
  readonly priority: number;
  readonly startAfter: Date | undefined;
  /** The time for which it is left to a certain worker; the others are notified that they may have it later. */
  readonly preferredUntil?: Date | undefined;
}

export interface FetchedJob {
  readonly id: string;
  readonly key: string;
  /** How often its conversation could not be claimed. */
  readonly failures: number;
}

/** Why a conversation is set aside, and for how long. */
export interface ClaimFailure {
  /** PostgreSQL's code, or the name of another error that a value of a row has caused. */
  readonly reason: string;
  readonly failures: number;
  readonly forMs: number;
}

/** A waiting conversation that could not be claimed, because of its rows. Workers try it again, more and more rarely. */
export interface SetAside {
  readonly key: string;
  /** PostgreSQL's code: `23505`, `55P03`, … */
  readonly reason: string;
  /** The number of attempts so far. */
  readonly attempts: number;
  /** The next attempt, in ms since the epoch. */
  readonly until: number;
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
  /** When the queue started the run, by the clock of the database: at the scheduled time, or within a minute after it. */
  readonly startedAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
}
