import type { Transaction } from '../database/database.ts';
import { uuid7 } from '../turn/uuid7.ts';
import type { Queue } from './queue.ts';

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
  const [next] = await sql.query<NextRow>(NEXT, [key]);
  if (next === undefined || next.job !== null) return false;
  const id = uuid7();
  const startAfter = next.due ? undefined : next.start_after;
  await queue.send(sql, { id, key, tenant, priority: next.priority, startAfter });
  await sql.query('update @.turn set job = $2 where id = $1', [next.id, id]);
  return true;
}

/** Removes a completed job from the waiting turns of the conversation. */
export async function clearJob(sql: Transaction, key: string, job: string): Promise<void> {
  await sql.query(`update @.turn set job = null where key = $1 and state = 'waiting' and job = $2`, [key, job]);
}

interface NextRow {
  readonly id: string;
  readonly job: string | null;
  readonly priority: number;
  readonly start_after: Date;
  readonly due: boolean;
}

/** The first due turn, or else the one that becomes due next. */
const NEXT = `
  select * from (select id, job, priority, start_after, true as due from @.turn
                 where key = $1 and state = 'waiting' and start_after <= now() order by seq limit 1) due
  union all
  select * from (select id, job, priority, start_after, start_after <= now() as due from @.turn
                 where key = $1 and state = 'waiting' order by start_after, seq limit 1) later
  limit 1`;
