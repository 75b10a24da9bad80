import { PgBoss } from 'pg-boss';
import type { Database, Transaction } from '../database/database.ts';
import { SchemaTooOldError, SubmissionError } from '../errors.ts';
import type { CronJob, NewJob, Queue, ScheduledRun, TakenJob } from './queue.ts';

/** Conversations that have work wait here. */
const TURNS = 'turns';
/** Runs of schedules wait here until a worker submits their turns. */
const SCHEDULED = 'scheduled';

/**
 * Opens the queue on pg-boss, and creates or upgrades its tables if `create` is true. Workers also do its housekeeping and start
 * the schedules. @throws SchemaTooOldError
 */
export async function openQueue(database: Database, role: 'client' | 'worker', create: boolean): Promise<Queue> {
  const boss = new PgBoss({
    schema: database.schema,
    migrate: create,
    db: { executeSql: (text, values) => database.execute(text, values) },
    supervise: role === 'worker',
    schedule: role === 'worker',
    // Ours is the only use of the queue: a quick look for due schedules costs one small query.
    cronMonitorIntervalSeconds: 5,
    // It reads all jobs each minute, so those that have ended go soon.
    maintenanceIntervalSeconds: 60,
    cronWorkerIntervalSeconds: 1,
  });
  // The database reports its own failures, and every call here throws them.
  boss.on('error', () => {});
  try {
    await boss.start();
    if (!create) return new PgBossQueue(boss);
    await boss.createQueue(TURNS, {
      // Not `key_strict_fifo`: its fetch reads all jobs that wait, and the fleet's own tables know the order of turns.
      policy: 'standard',
      // Leases decide when a turn is lost, not the queue: its own limits are as long as they can be.
      expireInSeconds: 24 * 3_600 - 1,
      retryLimit: 1_000_000,
      retryDelay: 0,
      retentionSeconds: 10 * 365 * 24 * 3_600,
      deleteAfterSeconds: 60,
    });
    await boss.createQueue(SCHEDULED, { retryLimit: 1_000_000, deleteAfterSeconds: 60 });
  } catch (error) {
    await boss.stop(STOP_NOW).catch(() => {});
    // pg-boss gives a code to no error of its own; with `create: false` it has one: its tables need an upgrade.
    throw create || !(error instanceof Error) || 'code' in error ? error : new SchemaTooOldError(database.schema);
  }
  return new PgBossQueue(boss);
}

/** Its timers end; the connections are the fleet's. */
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

  async take(sql: Transaction, exceptTenants: readonly string[]): Promise<TakenJob | undefined> {
    const ignoreGroups = exceptTenants.length === 0 ? null : [...exceptTenants];
    const [job] = await this.#boss.fetch(TURNS, { batchSize: 1, includeMetadata: true, ignoreGroups, db: sql });
    return job === undefined ? undefined : { id: job.id, key: job.singletonKey ?? '' };
  }

  async complete(sql: Transaction, id: string): Promise<void> {
    await this.#boss.complete(TURNS, id, null, { db: sql });
  }

  async release(sql: Transaction, id: string): Promise<void> {
    await this.#boss.fail(TURNS, id, null, { db: sql });
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

  async takeScheduled(sql: Transaction): Promise<ScheduledRun | undefined> {
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
