import type { Transaction } from '../database/database.ts';
import { aboutConversation, JOBS, logEvent, notify } from '../database/log.ts';
import type { Queue } from '../queue/queue.ts';
import { wakeConversation } from '../queue/wake.ts';
import { cancelledWhile, type TurnOutcome } from '../turn/outcome.ts';
import { insertEvents } from './fence.ts';
import { addSpend } from './quota.ts';
import { voidApprovals } from './void-approvals.ts';

interface CancelledRow {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  readonly cancelled_by: string;
}

/** Ends the parked turn of a conversation, if it was cancelled: no worker has it. */
export async function endCancelled(
  sql: Transaction,
  schema: string,
  queue: Queue,
  { key, worker }: { readonly key: string; readonly worker: string },
): Promise<void> {
  // Locks the conversation before the turn, as all transactions do.
  await sql.query('select 1 from @.conversation where key = $1 for update', [key]);
  const [turn] = await sql.query<CancelledRow>(
    `select id, key, tenant, cancelled_by from @.turn where key = $1 and state = 'parked' and cancelled_by is not null for update`,
    [key],
  );
  if (turn) await endIdle(sql, schema, queue, { turn, worker, waitedFor: 'an approval' });
}

/** Ends a cancelled turn that no worker has, whose prompt was sent. The caller has locked its conversation. */
export async function endIdle(
  sql: Transaction,
  schema: string,
  queue: Queue,
  how: { readonly turn: CancelledRow; readonly worker: string; readonly waitedFor: 'an approval' | 'its next attempt' },
): Promise<void> {
  const { turn, worker, waitedFor } = how;
  const { id, key, tenant, cancelled_by: by } = turn;
  const outcome: TurnOutcome = { kind: 'interrupted', by: 'cancel', message: cancelledWhile(by, waitedFor) };
  const [row] = await sql.query<{ event_seq: number }>(
    'update @.conversation set event_seq = event_seq + 1 where key = $1 returning event_seq',
    [key],
  );
  await sql.query(
    `update @.turn set state = 'done', outcome = $2, outcome_kind = $3, ended_at = clock_timestamp() where id = $1`,
    [id, JSON.stringify(outcome), outcome.kind],
  );
  await insertEvents(sql, key, id, row?.event_seq ?? 0, [{ kind: 'outcome', body: JSON.stringify({ outcome }) }]);
  await sql.query(`delete from @.event where turn = $1 and kind = 'partial'`, [id]);
  await voidApprovals(sql, queue, { turn: id, worker });
  await logEvent(sql, 'turn-ended', { key, turn: id, worker, detail: { outcome: outcome.kind, costUsd: 0 } });
  if (await wakeConversation(sql, queue, { key, tenant })) await notify(sql, schema, JOBS);
  await notify(sql, schema, aboutConversation(key));
  await addSpend(sql, tenant, 0);
}
