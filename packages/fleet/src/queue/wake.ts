import type { Transaction } from '../database/database.ts';
import { uuid7 } from '../turn/uuid7.ts';
import type { Queue } from './queue.ts';

/**
 * Puts a job into the queue for the next turn of a conversation that no worker has, unless there is one. Returns whether it did.
 * The row of the conversation is locked. Each conversation has one job, not each turn: a claim then costs the same however many
 * turns wait. Whatever ends a turn calls this, because the turns behind it have no job yet.
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

/** A job of the conversation was used up: turns that wait for it have none any more. */
export async function forgetJob(sql: Transaction, key: string, job: string): Promise<void> {
  await sql.query(`update @.turn set job = null where key = $1 and state = 'waiting' and job = $2`, [key, job]);
}

interface NextRow {
  readonly id: string;
  readonly job: string | null;
  readonly priority: number;
  readonly start_after: Date;
  readonly due: boolean;
}

/** The first turn that is due, or else the one that is due next. */
const NEXT = `
  select * from (select id, job, priority, start_after, true as due from @.turn
                 where key = $1 and state = 'waiting' and start_after <= now() order by seq limit 1) due
  union all
  select * from (select id, job, priority, start_after, start_after <= now() as due from @.turn
                 where key = $1 and state = 'waiting' order by start_after, seq limit 1) later
  limit 1`;
