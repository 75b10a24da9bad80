import { JOBS, notify } from '../database/log.ts';
import type { Claim } from './claim.ts';
import { endProbe } from './pauses.ts';
import type { RunContext } from './run-context.ts';
import type { TurnWriter } from './writer.ts';

/** Releases a turn, as if no worker had claimed it: its prompt was not sent. @throws LeaseLostError */
export async function releaseTurn(
  { id, key, job, attempt, probe }: Claim,
  { database, queue, worker }: Pick<RunContext, 'database' | 'queue' | 'worker'>,
  writer: TurnWriter,
): Promise<void> {
  const body = JSON.stringify({ state: 'waiting', worker: null, attempt: attempt - 1 });
  writer.dropEntries();
  await writer.leave([{ kind: 'state', body }], async (sql) => {
    await sql.query('update @.conversation set owner = null, claim = null, lease_until = null where key = $1', [key]);
    await sql.query(
      `update @.turn set state = 'waiting', epoch = null, claim = null, worker = null, attempt = attempt - 1, started_at = null where id = $1`,
      [id],
    );
    await queue.release(sql, job);
    if (probe) await endProbe(sql, worker);
    await notify(sql, database.schema, JOBS);
  });
}
