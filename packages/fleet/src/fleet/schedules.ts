import type { Database, Transaction } from '../database/database.ts';
import { codeAboutRows } from '../database/failure.ts';
import { logEvent } from '../database/log.ts';
import { DatabaseUnavailableError, ScheduledRunError, SubmissionError } from '../errors.ts';
import type { CronJob, Queue, ScheduledRun } from '../queue/queue.ts';
import { checkedObject, checkedWhole, problemOfName } from './input.ts';
import {
  type CheckedSubmission,
  type ConversationOwner,
  checkOwner,
  checkSubmission,
  isSubmission,
  type Submission,
  storeSubmissionIn,
} from './submit.ts';

/** A turn that is submitted repeatedly. */
export interface Schedule
  extends Pick<
    Submission,
    'key' | 'prompt' | 'tenant' | 'agent' | 'priority' | 'data' | 'attributes' | 'maxUsdPerTurn' | 'retry'
  > {
  /** Identifies the schedule; scheduling the same name again replaces it. Letters, digits, `_`, `-`, `.` and `/`, at most 200. */
  readonly name: string;
  /** Five fields, as in crontab, or an RFC 5545 recurrence rule. */
  readonly cron: string;
  /** An IANA name such as `Europe/Berlin`; UTC by default. */
  readonly timeZone?: string | undefined;
}

/** Stores a schedule. Its first run is in the future: the current minute does not count. @throws SubmissionError */
export async function storeSchedule(database: Database, queue: Queue, given: Schedule): Promise<void> {
  const { job, turn } = toCronJob(given);
  queue.nextRuns(job, new Date(), 1);
  await checkConversation(database, turn);
  const [clock] = await database.query<{ now: Date }>('select clock_timestamp() as now');
  const [firstRun] = queue.nextRuns(job, clock?.now ?? new Date(), 1);
  if (firstRun === undefined) throw new SubmissionError('cron', 'has no run in the future.');
  const before = (await queue.schedules()).find(({ name }) => name === job.name);
  // A program that sets its schedules at each start must not skip a run that is due now.
  const isSame = before?.cron === job.cron && before.timeZone === (job.timeZone ?? 'UTC');
  const firstRunAt = isSame ? before.data.firstRunAt : firstRun.getTime();
  await queue.schedule({ ...job, data: { ...job.data, firstRunAt } });
}

/** The next times of a schedule, the earliest first. @throws SubmissionError, FleetInputError */
export function nextRuns(queue: Queue, given: Pick<Schedule, 'cron' | 'timeZone'>, count: number): Date[] {
  checkedWhole('count', count, 1, MAX_RUNS);
  const { cron, timeZone } = checkedObject('schedule', given);
  checkTimes(cron, timeZone);
  return queue.nextRuns({ cron, timeZone }, new Date(), count);
}

/** The queue computes times for one second at most. */
const MAX_RUNS = 100;

/** The job of a schedule for the queue, and its turn. @throws SubmissionError */
function toCronJob(given: Schedule): { readonly job: CronJob; readonly turn: CheckedSubmission } {
  if (typeof given !== 'object' || given === null) throw new SubmissionError('schedule', 'must be an object.');
  const { name, cron, timeZone, ...submission } = given;
  const { key, prompt, tenant, agent, priority, data, attributes, maxUsdPerTurn, retry } = submission;
  const turn = checkSubmission(submission);
  const extra = Object.keys(submission).find((field) => !SUBMITTED.includes(field));
  if (extra !== undefined) throw new SubmissionError(extra, 'is not a field of a schedule.');
  for (const field of ['prompt', 'data'] as const)
    if (UNSTORABLE.test(turn[field] ?? ''))
      throw new SubmissionError(field, 'of a schedule must not contain NUL characters or unpaired surrogates.');
  if (typeof name !== 'string' || !/^[\w./-]{1,200}$/.test(name))
    throw new SubmissionError('name', 'must be 1 to 200 letters, digits, or the characters _ - . and /.');
  checkTimes(cron, timeZone);
  const turnData = { key, prompt, tenant, agent, priority, data, attributes, maxUsdPerTurn, retry };
  return { job: { name, cron, timeZone, data: { ...turnData, schedule: name } }, turn };
}

/** @throws SubmissionError */
function checkTimes(cron: unknown, timeZone: unknown): void {
  if (typeof cron !== 'string' || !(cron.includes('FREQ=') || cron.trim().split(/\s+/).length === 5))
    throw new SubmissionError('cron', 'must have five fields, as in crontab, or be an RFC 5545 recurrence rule.');
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new SubmissionError('timeZone', 'must be the IANA name of a time zone, such as Europe/Berlin.');
}

const SUBMITTED: readonly string[] = [
  'key',
  'prompt',
  'tenant',
  'agent',
  'priority',
  'data',
  'attributes',
  'maxUsdPerTurn',
  'retry',
] satisfies (keyof Schedule)[];

/** NUL characters and unpaired surrogates, as JSON.stringify() escapes them. The queue stores `jsonb`, which cannot hold them. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

function isTimeZone(name: unknown): boolean {
  try {
    return problemOfName(name) === undefined && new Intl.DateTimeFormat('en', { timeZone: String(name) }) !== undefined;
  } catch {
    return false;
  }
}

/** Schedules as they were set. Skips schedules in the queue that another program wrote. */
export function toSchedules(jobs: readonly CronJob[]): Schedule[] {
  return jobs.flatMap(({ name, cron, timeZone, data: { schedule: _name, firstRunAt: _at, ...turn } }) =>
    isSubmission(turn) ? [{ ...turn, name, cron, timeZone }] : [],
  );
}

/** Checks the tenant and the agent against those of an existing conversation. @throws SubmissionError */
async function checkConversation(
  database: Database,
  { key, tenant, agent }: Pick<CheckedSubmission, 'key' | 'tenant' | 'agent'>,
): Promise<void> {
  const [found] = await database.query<ConversationOwner>('select tenant, agent from @.conversation where key = $1', [
    key,
  ]);
  if (found !== undefined) checkOwner(found, { tenant, agent });
}

/**
 * Submits the turns of all due schedules, each in one transaction, so that no run is lost or doubled. A run that cannot be submitted is
 * reported and skipped, and one whose conversation cannot be changed now is reported and postponed, so that it does not block the others.
 */
export async function submitScheduled(
  database: Database,
  queue: Queue,
  onError: (error: unknown) => void,
): Promise<void> {
  const refusedKeys = new Set<unknown>();
  for (let more = true; more; ) {
    const fetched: { run?: ScheduledRun | undefined } = {};
    try {
      more = await database.transaction(async (sql) => {
        const run = await queue.fetchScheduled(sql);
        fetched.run = run;
        if (run === undefined) return false;
        if (refusedKeys.has(run.data.key)) throw new Postponed();
        await sql.setLockTimeout(database.rowLockMs);
        await submitRun(sql, database.schema, queue, run, onError);
        return true;
      });
    } catch (error) {
      const { run } = fetched;
      const isPostponed = error instanceof Postponed;
      if (run === undefined || !(isPostponed || codeAboutRows(error) !== undefined)) throw error;
      await database.transaction((sql) => queue.postponeScheduled(sql, run.id, run.data, POSTPONED_MS));
      refusedKeys.add(run.data.key);
      if (!isPostponed) onError(error);
    }
  }
}

/** Time until the next attempt of a run whose conversation cannot be changed now. */
const POSTPONED_MS = 30_000;

/** Rolls back: an earlier run for the same conversation could not be submitted, and this one would wait for the same rows. */
class Postponed extends Error {}

async function submitRun(
  sql: Transaction,
  schema: string,
  queue: Queue,
  run: ScheduledRun,
  onError: (error: unknown) => void,
): Promise<void> {
  const { schedule: _name, firstRunAt, ...data } = run.data;
  // The schedule was set or changed after this minute had begun.
  if (typeof firstRunAt === 'number' && run.startedAt.getTime() < firstRunAt) return;
  await sql.query('savepoint run');
  try {
    const turn = checkSubmission({ ...data, id: run.id, by: 'schedule' });
    await storeSubmissionIn(sql, schema, queue, turn);
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error;
    await sql.query('rollback to savepoint run');
    onError(await skipRun(sql, run.data, error));
  }
}

async function skipRun(sql: Transaction, data: CronJob['data'], error: unknown): Promise<ScheduledRunError> {
  const { schedule, key } = data;
  const failure = new ScheduledRunError({ schedule: String(schedule), key: String(key) }, error);
  await logEvent(sql, 'schedule-failed', {
    key: failure.key,
    detail: { schedule: failure.schedule, reason: failure.reason },
  });
  return failure;
}
