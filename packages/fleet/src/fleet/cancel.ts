import type { Transaction } from '../database/database.ts';
import { isPermanent, reasonOf } from '../database/failure.ts';
import { aboutConversation, aboutWorker, JOBS, logEvent, notify } from '../database/log.ts';
import { DatabaseUnavailableError, NotInFleetError } from '../errors.ts';
import type { Queue } from '../queue/queue.ts';
import { wakeConversation } from '../queue/wake.ts';
import { cancelledWhile, type TurnOutcome } from '../turn/outcome.ts';
import { cancelEffect, type TurnState } from '../turn/turn-state.ts';
import { insertEvents } from '../worker/fence.ts';
import type { Connection } from './connect.ts';

/** The effect of `cancel()`: it removed a waiting turn, interrupted the agent, or was too late. */
export type CancelEffect = ReturnType<typeof cancelEffect>;

/** Removes a waiting turn from the queue, or interrupts a running one. @throws NotInFleetError, DatabaseUnavailableError */
export async function cancelTurn(
  { database, queue }: Pick<Connection, 'database' | 'queue'>,
  id: string,
  by: string,
): Promise<CancelEffect> {
  try {
    return await database.transaction((sql) => cancelIn(sql, database.schema, queue, { id, by }));
  } catch (error) {
    // The rows of the conversation are damaged. The code is enough: a message may quote them.
    throw isPermanent(error) ? new DatabaseUnavailableError('The turn cannot be cancelled', reasonOf(error)) : error;
  }
}

async function cancelIn(
  sql: Transaction,
  schema: string,
  queue: Queue,
  { id, by }: { readonly id: string; readonly by: string },
): Promise<CancelEffect> {
  const [found] = await sql.query<{ key: string; tenant: string }>('select key, tenant from @.turn where id = $1', [
    id,
  ]);
  if (found === undefined) throw new NotInFleetError('turn', id);
  const { key, tenant } = found;
  // Locks the conversation before the turn, as all transactions do.
  await sql.query('select 1 from @.conversation where key = $1 for update', [key]);
  const [turn] = await sql.query<{ state: TurnState; worker: string | null; retries: number }>(
    'select state, worker, retries from @.turn where id = $1 for update',
    [id],
  );
  const effect = cancelEffect(turn?.state ?? 'done');
  if (effect === 'too-late') return effect;
  await logEvent(sql, 'turn-cancelled', { key, turn: id, detail: { by, effect } });
  if (effect === 'interrupt') {
    await sql.query('update @.turn set cancelled_by = coalesce(cancelled_by, $2) where id = $1', [id, by]);
    // A parked turn has no worker: an idle one ends it.
    await notify(sql, schema, turn?.worker ? aboutWorker(turn.worker) : JOBS);
    return effect;
  }
  const wasSent = (turn?.retries ?? 0) > 0;
  const outcome: TurnOutcome = wasSent
    ? { kind: 'interrupted', by: 'cancel', message: cancelledWhile(by, 'its next attempt') }
    : { kind: 'cancelled', by, message: 'The turn was cancelled before it started.' };
  await sql.query(
    `update @.turn set state = 'done', cancelled_by = $2, outcome = $3, outcome_kind = $4, ended_at = clock_timestamp() where id = $1`,
    [id, by, JSON.stringify(outcome), outcome.kind],
  );
  const [row] = await sql.query<{ event_seq: number }>(
    'update @.conversation set event_seq = event_seq + 1 where key = $1 returning event_seq',
    [key],
  );
  await insertEvents(sql, key, id, row?.event_seq ?? 0, [{ kind: 'outcome', body: JSON.stringify({ outcome }) }]);
  await notify(sql, schema, aboutConversation(key));
  // The turns behind it have no job, and its own may not be due for long.
  if (wasSent && (await wakeConversation(sql, queue, { key, tenant }))) await notify(sql, schema, JOBS);
  return effect;
}
