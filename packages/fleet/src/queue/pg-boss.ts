import { isObject } from '@coxswain/shared/is-object';
import { type JobInsert, PgBoss } from 'pg-boss';
import { isNoticeKind, type NoticeKind } from '../approval/notice.ts';
import type { Database, Transaction } from '../database/database.ts';
import { NOTICES, notify, PREFERRED } from '../database/log.ts';
import { SchemaTooOldError, SubmissionError } from '../errors.ts';
import type {
  ClaimFailure,
  CronJob,
  FetchedJob,
  NewJob,
  NoticeJob,
  NoticeTarget,
  Queue,
  ScheduledRun,
  SetAside,
} from './queue.ts';
import { fetchStatement, type Routes } from './routes.ts';

/** The queue of conversations with work. */
const TURNS = 'turns';
/** The queue of scheduled runs whose turns are not submitted yet. */
const SCHEDULED = 'scheduled';
/** The queue of the timers of approvals. */
const TIMERS = 'approval-timers';
/** The queues of notices about approvals. */
const NOTICES_TO: Readonly<Record<NoticeTarget, string>> = { webhook: 'approval-webhooks', function: 'approval-calls' };

/**
 * Opens the queue on pg-boss, and creates or upgrades its tables if `create` is true. Workers also do its maintenance and start scheduled
 * runs.
 *
 * The fleet uses pg-boss for three things only: its table of jobs with their states, delayed jobs (`startAfter`), and schedules
 * (cron). A worker fetches with a statement of the fleet, because pg-boss has no call for a job that this worker may run. Retries, expiration, dead letters and the order of turns are the fleet's own, decided by its leases and tables, so the limits
 * of pg-boss are as long as possible. Only notices about approvals are retried by pg-boss.
 * @throws SchemaTooOldError
 */
export async function openQueue(
  database: Database,
  role: 'client' | 'worker',
  create: boolean,
  targets: readonly NoticeTarget[] = [],
): Promise<Queue> {
  const open = (): Queue => new PgBossQueue(boss, database.schema, targets);
  const boss = new PgBoss({
    schema: database.schema,
    migrate: create,
    db: { executeSql: (text, values) => database.execute(text, values) },
    supervise: role === 'worker',
    schedule: role === 'worker',
    // A frequent check for due schedules costs one small query.
    cronMonitorIntervalSeconds: 5,
    // Maintenance reads all jobs, so completed ones are deleted soon.
    maintenanceIntervalSeconds: 60,
    cronWorkerIntervalSeconds: 1,
  });
  // `Database` records these failures, and every call here throws them.
  boss.on('error', () => {});
  try {
    await boss.start();
    if (!create) return open();
    await boss.createQueue(TURNS, {
      // Not `key_strict_fifo`: its fetch reads all waiting jobs, and the fleet's tables have the order of turns.
      policy: 'standard',
      // Leases decide when a turn is lost, not the queue.
      expireInSeconds: 24 * 3_600 - 1,
      retryLimit: 1_000_000,
      retryDelay: 0,
      retentionSeconds: FOREVER_SECONDS,
      deleteAfterSeconds: 60,
    });
    await boss.createQueue(SCHEDULED, { retryLimit: 1_000_000, deleteAfterSeconds: 60 });
    await boss.createQueue(TIMERS, {
      retryLimit: 1_000_000,
      retentionSeconds: FOREVER_SECONDS,
      deleteAfterSeconds: 60,
    });
    for (const name of Object.values(NOTICES_TO)) await boss.createQueue(name, NOTICE_RETRIES);
    // pg-boss reads a queue on first use, on a connection of its own: a transaction that holds rows would wait for that.
    for (const name of [TURNS, SCHEDULED, TIMERS, ...Object.values(NOTICES_TO)]) await boss.insert(name, []);
  } catch (error) {
    await boss.stop(STOP_NOW).catch(() => {});
    // Errors of pg-boss itself have no code. With `create: false`, the only one is that its tables need an upgrade.
    throw create || !(error instanceof Error) || 'code' in error ? error : new SchemaTooOldError(database.schema);
  }
  return open();
}

/** 16 attempts within about seven hours: after 2 s, 4 s, 8 s, … and then every hour. */
const NOTICE_RETRIES = {
  retryLimit: 15,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: 3_600,
  expireInSeconds: 120,
  deleteAfterSeconds: 60,
};

/** Notices that a worker sends at the same time. */
const NOTICE_BATCH = 10;

/** Ten years. */
const FOREVER_SECONDS = 10 * 365 * 24 * 3_600;

/** The data of a job that was set aside; other jobs have none. */
interface JobData {
  readonly setAside: true;
  readonly failures: number;
  readonly reason: string;
}

/** Ends the timers of pg-boss; the connections belong to the fleet. */
const STOP_NOW = { graceful: false, close: false };

class PgBossQueue implements Queue {
  readonly #boss: PgBoss;
  readonly #schema: string;
  readonly #targets: readonly NoticeTarget[];

  constructor(boss: PgBoss, schema: string, targets: readonly NoticeTarget[]) {
    this.#boss = boss;
    this.#schema = schema;
    this.#targets = targets;
  }

  async send(sql: Transaction, job: NewJob): Promise<void> {
    await this.#boss.send(TURNS, null, { ...insertOf(job), db: sql });
    if (job.preferredUntil !== undefined) await notify(sql, this.#schema, PREFERRED);
  }

  async sendAll(sql: Transaction, jobs: readonly NewJob[]): Promise<void> {
    await this.#boss.insert(TURNS, jobs.map(insertOf), { db: sql });
    if (jobs.some(({ preferredUntil }) => preferredUntil !== undefined)) await notify(sql, this.#schema, PREFERRED);
  }

  async fetch(sql: Transaction, exceptTenants: readonly string[], routes: Routes): Promise<FetchedJob | undefined> {
    const [text, values] = fetchStatement(TURNS, exceptTenants, routes);
    const [job] = await sql.query<{ id: string; key: string | null; data: unknown }>(text, values);
    return job === undefined ? undefined : { id: job.id, key: job.key ?? '', failures: failuresIn(job.data) };
  }

  async makeDue(sql: Transaction, ids: readonly string[]): Promise<void> {
    // pg-boss has no call for it. A job that was set aside has data.
    await sql.query(
      `update @.job set start_after = created_on where name = $1 and id = any($2::uuid[]) and state < 'active' and start_after > created_on
         and data is null`,
      [TURNS, ids],
    );
  }

  async complete(sql: Transaction, id: string): Promise<void> {
    await this.#boss.complete(TURNS, id, null, { db: sql });
  }

  async release(sql: Transaction, id: string): Promise<void> {
    await this.#boss.fail(TURNS, id, null, { db: sql });
  }

  async setAside(sql: Transaction, id: string, { reason, failures, forMs }: ClaimFailure): Promise<void> {
    const data: JobData = { setAside: true, failures, reason };
    await this.#boss.update(TURNS, data, { id, startAfter: Math.ceil(forMs / 1_000), db: sql });
  }

  async listSetAside(): Promise<readonly SetAside[]> {
    const jobs = await this.#boss.findJobs<JobData>(TURNS, { queued: true, data: { setAside: true } });
    return jobs.map(({ singletonKey, startAfter, data: { reason, failures } }) => ({
      key: singletonKey ?? '',
      reason,
      attempts: failures,
      until: new Date(startAfter).getTime(),
    }));
  }

  nextRuns({ cron, timeZone }: Pick<CronJob, 'cron' | 'timeZone'>, from: Date, count: number): Date[] {
    try {
      return this.#boss.previewSchedule(cron, { tz: timeZone ?? 'UTC', from, count });
    } catch (error) {
      throw new SubmissionError('cron', `cannot be used: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }

  async schedule({ name, cron, timeZone, data }: CronJob): Promise<void> {
    await this.#boss.schedule(SCHEDULED, cron, data, { key: name, tz: timeZone ?? 'UTC' });
  }

  async unschedule(name: string): Promise<void> {
    await this.#boss.unschedule(SCHEDULED, name);
  }

  async schedules(): Promise<readonly CronJob[]> {
    const found = await this.#boss.getSchedules(SCHEDULED);
    return found.map(({ key, cron, timezone, data }) => ({ name: key, cron, timeZone: timezone, data: { ...data } }));
  }

  async fetchScheduled(sql: Transaction): Promise<ScheduledRun | undefined> {
    const [job] = await this.#boss.fetch<unknown>(SCHEDULED, {
      batchSize: 1,
      includeMetadata: true,
      db: sql,
    });
    if (job === undefined) return undefined;
    await this.#boss.complete(SCHEDULED, job.id, null, { db: sql });
    return { id: job.id, startedAt: job.createdOn, data: isObject(job.data) ? job.data : {} };
  }

  async postponeScheduled(sql: Transaction, id: string, data: ScheduledRun['data'], forMs: number): Promise<void> {
    await this.#boss.update(SCHEDULED, data, { id, startAfter: Math.ceil(forMs / 1_000), db: sql });
  }

  async setTimer(sql: Transaction, approval: string, afterMs: number): Promise<void> {
    await this.#boss.send(TIMERS, { approval }, { startAfter: Math.max(1, Math.ceil(afterMs / 1_000)), db: sql });
  }

  async fetchTimer(sql: Transaction): Promise<string | undefined> {
    const [job] = await this.#boss.fetch<unknown>(TIMERS, { batchSize: 1, db: sql });
    if (job === undefined) return undefined;
    await this.#boss.complete(TIMERS, job.id, null, { db: sql });
    return approvalIn(job.data);
  }

  async announce(sql: Transaction, approval: string, kind: NoticeKind): Promise<void> {
    for (const target of this.#targets) await this.#boss.send(NOTICES_TO[target], { approval, kind }, { db: sql });
    if (this.#targets.length > 0) await notify(sql, this.#schema, NOTICES);
  }

  async fetchNotices(target: NoticeTarget): Promise<readonly NoticeJob[]> {
    const jobs = await this.#boss.fetch<unknown>(NOTICES_TO[target], {
      batchSize: NOTICE_BATCH,
      includeMetadata: true,
    });
    return jobs.map(({ id, data, createdOn, retryCount, retryLimit }) => ({
      id,
      ...noticeIn(data),
      at: createdOn,
      attempt: retryCount + 1,
      isLast: retryCount >= retryLimit,
    }));
  }

  async completeNotice(target: NoticeTarget, id: string): Promise<void> {
    await this.#boss.complete(NOTICES_TO[target], id);
  }

  async retryNotice(target: NoticeTarget, id: string): Promise<void> {
    await this.#boss.fail(NOTICES_TO[target], id);
  }

  async close(): Promise<void> {
    await this.#boss.stop(STOP_NOW);
  }
}

/** A job in the terms of pg-boss; it has no data. */
function insertOf({ id, key, tenant, agent, priority, startAfter, preferredUntil }: NewJob): JobInsert {
  const options = { id, singletonKey: key, priority, group: { id: tenant, tier: agent } };
  const after = startAfter ?? preferredUntil;
  return after === undefined ? options : { ...options, startAfter: after };
}

// Submitters may insert jobs of their own, so the data of a job can be anything.

function failuresIn(data: unknown): number {
  const failures = isObject(data) ? data.failures : 0;
  return typeof failures === 'number' && Number.isInteger(failures) && failures > 0 ? failures : 0;
}

/** The approval of a timer; no approval has the id that stands for an invalid one. */
function approvalIn(data: unknown): string {
  return isObject(data) && typeof data.approval === 'string' ? data.approval : '';
}

function noticeIn(data: unknown): Pick<NoticeJob, 'approval' | 'kind'> {
  const kind = isObject(data) ? data.kind : undefined;
  return isNoticeKind(kind) ? { approval: approvalIn(data), kind } : { approval: '', kind: 'void' };
}
