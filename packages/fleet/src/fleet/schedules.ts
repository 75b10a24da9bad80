import type { Database } from '../database/database.ts';
import type { CronJob, Queue } from '../queue/queue.ts';
import { checkSubmission, type Submission, storeSubmissionIn } from './submit.ts';

/** A turn that is submitted again and again. */
export interface Schedule extends Pick<Submission, 'key' | 'prompt' | 'tenant' | 'priority' | 'data'> {
  /** Identifies the schedule; scheduling the same name again replaces it. */
  readonly name: string;
  /** Five fields, as in crontab, or an RFC 5545 recurrence rule. */
  readonly cron: string;
  /** UTC by default. */
  readonly timeZone?: string | undefined;
}

/** A schedule as the queue keeps it. @throws SubmissionError */
export function toCronJob({ name, cron, timeZone, ...turn }: Schedule): CronJob {
  checkSubmission(turn);
  return { name, cron, timeZone, data: { ...turn } };
}

/** A schedule as it was given. */
export function toSchedule({ name, cron, timeZone, data }: CronJob): Schedule {
  // toCronJob() made the data.
  return { ...(data as unknown as Submission), name, cron, timeZone };
}

/** Submits the turns of all schedules that are due. Each is one transaction, so that no run is lost or doubled. */
export async function submitScheduled(database: Database, queue: Queue): Promise<void> {
  for (let more = true; more; ) {
    more = await database.transaction(async (sql) => {
      const run = await queue.takeScheduled(sql);
      if (run === undefined) return false;
      // toCronJob() made the data.
      const turn = checkSubmission({ ...(run.data as unknown as Submission), id: run.id, by: 'schedule' });
      await storeSubmissionIn(sql, database.schema, queue, turn);
      return true;
    });
  }
}
