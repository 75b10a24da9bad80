import { type Database, isTransient, type Transaction } from '../database/database.ts';
import { logEvent } from '../database/log.ts';
import { ScheduledRunError, SubmissionError } from '../errors.ts';
import type { CronJob, Queue } from '../queue/queue.ts';
import { problemOfName } from './input.ts';
import { type CheckedSubmission, checkSubmission, type Submission, storeSubmissionIn } from './submit.ts';

/** A turn that is submitted repeatedly. */
export interface Schedule extends Pick<Submission, 'key' | 'prompt' | 'tenant' | 'priority' | 'data'> {
  /** Identifies the schedule; scheduling the same name again replaces it. Letters, digits, `_`, `-`, `.` and `/`, at most 200. */
  readonly name: string;
  /** Five fields, as in crontab, or an RFC 5545 recurrence rule. */
  readonly cron: string;
  /** An IANA name such as `Europe/Berlin`; UTC by default. */
  readonly timeZone?: string | undefined;
}

/** A schedule as the queue keeps it, and its turn. @throws SubmissionError */
export function toCronJob(given: Schedule): { readonly job: CronJob; readonly turn: CheckedSubmission } {
  if (typeof given !== 'object' || given === null) throw new SubmissionError('schedule', 'must be an object.');
  const { name, cron, timeZone, key, prompt, tenant, priority, data } = given;
  const turn = checkSubmission({ key, prompt, tenant, priority, data });
  for (const field of ['prompt', 'data'] as const)
    if (UNSTORABLE.test(turn[field] ?? ''))
      throw new SubmissionError(field, 'of a schedule must not contain NUL characters or unpaired surrogates.');
  if (typeof name !== 'string' || !/^[\w./-]{1,200}$/.test(name))
    throw new SubmissionError('name', 'must be 1 to 200 letters, digits, or the characters _ - . and /.');
  if (typeof cron !== 'string' || !(cron.includes('FREQ=') || cron.trim().split(/\s+/).length === 5))
    throw new SubmissionError('cron', 'must have five fields, as in crontab, or be an RFC 5545 recurrence rule.');
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new SubmissionError('timeZone', 'must be the IANA name of a time zone, such as Europe/Berlin.');
  return { job: { name, cron, timeZone, data: { key, prompt, tenant, priority, data, schedule: name } }, turn };
}

/** The queue keeps `jsonb`, which has no NUL and no half of a character; JSON.stringify() writes both as escapes. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

function isTimeZone(name: unknown): boolean {
  try {
    return problemOfName(name) === undefined && new Intl.DateTimeFormat('en', { timeZone: String(name) }) !== undefined;
  } catch {
    return false;
  }
}

/** A schedule as it was given. */
export function toSchedule({ name, cron, timeZone, data: { schedule: _name, ...turn } }: CronJob): Schedule {
  // toCronJob() made the data.
  return { ...(turn as unknown as Submission), name, cron, timeZone };
}

/** A conversation that exists has a tenant already. @throws SubmissionError */
export async function checkTenant(
  database: Database,
  { key, tenant }: Pick<CheckedSubmission, 'key' | 'tenant'>,
): Promise<void> {
  const [found] = await database.query<{ tenant: string }>('select tenant from @.conversation where key = $1', [key]);
  if (found !== undefined && found.tenant !== tenant)
    throw new SubmissionError('tenant', 'is not the tenant of this conversation.');
}

/**
 * Submits the turns of all schedules that are due. Each is one transaction, so that no run is lost or doubled. A run that cannot
 * be submitted is given up and reported, so that it does not hold up the others.
 */
export async function submitScheduled(
  database: Database,
  queue: Queue,
  onError: (error: unknown) => void,
): Promise<void> {
  for (let more = true; more; ) {
    more = await database.transaction(async (sql) => {
      const run = await queue.takeScheduled(sql);
      if (run === undefined) return false;
      await sql.query('savepoint run');
      try {
        // toCronJob() made the data.
        const turn = checkSubmission({ ...(run.data as unknown as Submission), id: run.id, by: 'schedule' });
        await storeSubmissionIn(sql, database.schema, queue, turn);
      } catch (error) {
        if (isTransient(error)) throw error;
        await sql.query('rollback to savepoint run');
        onError(await giveUp(sql, run.data, error));
      }
      return true;
    });
  }
}

async function giveUp(sql: Transaction, data: CronJob['data'], error: unknown): Promise<ScheduledRunError> {
  const { schedule, key } = data;
  const failure = new ScheduledRunError({ schedule: String(schedule), key: String(key) }, error);
  await logEvent(sql, 'schedule-failed', {
    key: failure.key,
    detail: { schedule: failure.schedule, reason: failure.reason },
  });
  return failure;
}
