import type { Transaction } from '../database/database.ts';
import { uuid7 } from '../turn/uuid7.ts';
import type { NewJob, Queue } from './queue.ts';

/**
 * Queues a job for the next turn of a conversation that no worker owns, unless it has one. Returns whether it did. The caller has locked
 * the conversation's row. There is one job per conversation, not per turn, so that the cost of a claim does not grow with the number of
 * waiting turns. Everything that ends a turn calls this, because the turns behind it have no job yet.
 */
export async function wakeConversation(
  sql: Transaction,
  queue: Queue,
  { key, tenant }: { readonly key: string; readonly tenant: string },
): Promise<boolean> {
  const [next] = await sql.query<NextRow>(nextOf('$1'), [key]);
  if (next === undefined || !isReady(next)) return false;
  const job = jobFor(next, { key, tenant });
  await queue.send(sql, job);
  await sql.query('update @.turn set job = $2 where id = $1', [next.id, job.id]);
  return true;
}

/** The same for several conversations, in a few statements. Returns whether it queued any. */
export async function wakeConversations(
  sql: Transaction,
  queue: Queue,
  conversations: readonly { readonly key: string; readonly tenant: string }[],
): Promise<boolean> {
  const found = await sql.query<NextRow & { readonly key: string; readonly tenant: string }>(
    `select given.key, given.tenant, next.* from unnest($1::text[], $2::text[]) as given (key, tenant)
     cross join lateral (${nextOf('given.key')}) next`,
    [conversations.map(({ key }) => key), conversations.map(({ tenant }) => tenant)],
  );
  const ready = found.filter(isReady).map((next) => ({ turn: next.id, job: jobFor(next, next) }));
  if (ready.length === 0) return false;
  await queue.sendAll(
    sql,
    ready.map(({ job }) => job),
  );
  await sql.query(
    'update @.turn set job = given.job from unnest($1::text[], $2::uuid[]) as given (id, job) where turn.id = given.id',
    [ready.map(({ turn }) => turn), ready.map(({ job }) => job.id)],
  );
  return true;
}

function isReady({ job, decided }: NextRow): boolean {
  return job === null && decided;
}

function jobFor(next: NextRow, { key, tenant }: { readonly key: string; readonly tenant: string }): NewJob {
  const startAfter = next.due ? undefined : next.start_after;
  const preferredUntil = next.due ? (next.preferred_until ?? undefined) : undefined;
  const { agent, priority } = next;
  return { id: uuid7(), key, tenant, agent, priority, startAfter, preferredUntil };
}

/** Queues a job for a turn that is parked, or waits for its next attempt, after some time. The turns behind it wait, too. */
export async function wakeLater(
  sql: Transaction,
  queue: Queue,
  { id, key, tenant }: { readonly id: string; readonly key: string; readonly tenant: string },
  afterMs: number,
): Promise<void> {
  const job = uuid7();
  const [turn] = await sql.query<{ agent: string; priority: number; at: Date }>(
    `update @.turn set job = $2 where id = $1 returning agent, priority, clock_timestamp() + $3 * interval '1 ms' as at`,
    [id, job, afterMs],
  );
  if (turn) await queue.send(sql, { ...turn, id: job, key, tenant, startAfter: turn.at });
}

/** Removes a completed job from the waiting turns of the conversation. */
export async function clearJob(sql: Transaction, key: string, job: string): Promise<void> {
  await sql.query(`update @.turn set job = null where key = $1 and state in ('waiting', 'parked') and job = $2`, [
    key,
    job,
  ]);
}

interface NextRow {
  readonly id: string;
  /** The agent of the conversation. */
  readonly agent: string;
  readonly job: string | null;
  readonly priority: number;
  readonly start_after: Date;
  readonly due: boolean;
  /** False for a parked turn whose approval is open: nothing runs before it is answered. */
  readonly decided: boolean;
  /** The time for which it is left to the worker that has a process of the conversation; null if there is none. */
  readonly preferred_until: Date | null;
}

/** The longest time for which a turn is left to a certain worker, whatever its row says. */
export const MAX_PREFER_MS = 60_000;

/**
 * The parked turn, or the one that waits for its next attempt, or the first due turn, or else the one that becomes due next. The queue cannot
 * hold every date that a row can.
 */
const nextOf = (key: string): string => `
  select next.*, conversation.agent, case when warm_until > clock_timestamp()
           then clock_timestamp() + least(greatest(warm_prefer_ms, 0), ${MAX_PREFER_MS}) * interval '1 ms' end as preferred_until
  from @.conversation, (
  select * from (select turn.id, job, priority, start_after, true as due, approval.state in ('answered', 'expired') as decided
                 from @.turn left join @.approval on approval.id = turn.approval
                 where turn.key = ${key} and turn.state = 'parked' limit 1) parked
  union all
  select * from (select id, job, priority, start_after, start_after <= now() as due, true as decided from @.turn
                 where key = ${key} and state = 'waiting' and retries > 0 limit 1) retrying
  union all
  select * from (select id, job, priority, start_after, true as due, true as decided from @.turn
                 where key = ${key} and state = 'waiting' and start_after <= now() order by seq limit 1) due
  union all
  select * from (select id, job, priority, least(start_after, now() + interval '1 year') as start_after,
                        start_after <= now() as due, true as decided from @.turn
                 where key = ${key} and state = 'waiting' order by turn.start_after, seq limit 1) later
  limit 1) next where conversation.key = ${key}`;
