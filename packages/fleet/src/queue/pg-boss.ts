import { PgBoss } from 'pg-boss';
import type { Database, Transaction } from '../database/database.ts';
import { SchemaTooOldError, SubmissionError } from '../errors.ts';
import type { ClaimFailure, CronJob, FetchedJob, NewJob, Queue, ScheduledRun, SetAside } from './queue.ts';

/** The queue of conversations with work. */
const TURNS = 'turns';
/** The queue of scheduled runs whose turns are not submitted yet. */
const SCHEDULED = 'scheduled';

/**
 * Opens the queue on pg-boss, and creates or upgrades its tables if `create` is true. Workers also do its maintenance and start scheduled
 * runs.
 *
 * The fleet uses pg-boss for three things only: to fetch a job with `skip locked`, to delay a job (`startAfter`), and to run schedules
 * (cron). Retries, expiration, dead letters and the order of turns are the fleet's own, decided by its leases and tables, so the limits
 * of pg-boss are as long as possible.
 * @throws SchemaTooOldError
 */
export async function openQueue(database: Database, role: 'client' | 'worker', create: boolean): Promise<Queue> {
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
    if (!create) return new PgBossQueue(boss);
    await boss.createQueue(TURNS, {
      // Not `key_strict_fifo`: its fetch reads all waiting jobs, and the fleet's tables have the order of turns.
      policy: 'standard',
      // Leases decide when a turn is lost, not the queue.
      expireInSeconds: 24 * 3_600 - 1,
      retryLimit: 1_000_000,
      retryDelay: 0,
      retentionSeconds: 10 * 365 * 24 * 3_600,
      deleteAfterSeconds: 60,
    });
    await boss.createQueue(SCHEDULED, { retryLimit: 1_000_000, deleteAfterSeconds: 60 });
  } catch (error) {
    await boss.stop(STOP_NOW).catch(() => {});
    // Errors of pg-boss itself have no code. With `create: false`, the only one is that its tables need an upgrade.
    throw create || !(error instanceof Error) || 'code' in error ? error : new SchemaTooOldError(database.schema);
  }
  return new PgBossQueue(boss);
}

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

  constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  async send(sql: Transaction, { id, key, tenant, priority, startAfter }: NewJob): Promise<void> {
    const options = { id, singletonKey: key, priority, group: { id: tenant }, db: sql };
    await this.#boss.send(TURNS, null, startAfter === undefined ? options : { ...options, startAfter });
  }

  async fetch(sql: Transaction, exceptTenants: readonly string[]): Promise<FetchedJob | undefined> {
    const ignoreGroups = exceptTenants.length === 0 ? null : [...exceptTenants];
    const [job] = await this.#boss.fetch<JobData | null>(TURNS, {
      batchSize: 1,
      includeMetadata: true,
      ignoreGroups,
      db: sql,
    });
    return job === undefined
      ? undefined
      : { id: job.id, key: job.singletonKey ?? '', failures: job.data?.failures ?? 0 };
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
    const [job] = await this.#boss.fetch<Record<string, unknown>>(SCHEDULED, {
      batchSize: 1,
      includeMetadata: true,
      db: sql,
    });
    if (job === undefined) return undefined;
    await this.#boss.complete(SCHEDULED, job.id, null, { db: sql });
    return { id: job.id, startedAt: job.createdOn, data: job.data };
  }

  async close(): Promise<void> {
    await this.#boss.stop(STOP_NOW);
  }
}
