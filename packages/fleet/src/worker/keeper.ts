import type { Database } from '../database/database.ts';
import { logEvent } from '../database/log.ts';
import { actionAt } from '../lease/lease.ts';
import type { Run } from './run.ts';

/** How the worker appears in the tables. */
export interface WorkerRow {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly slots: number;
}

/** Ends the runs whose leases could not be renewed in time: the database is the cause, unless this process stood still. */
export function endOverdue(runs: ReadonlySet<Run>, stoodStill: boolean): void {
  const now = performance.now();
  for (const run of runs)
    if (!run.agentExited && actionAt(run.lease, now) === 'stop') run.lose(stoodStill ? 'worker' : 'database');
}

/**
 * Renews the leases of all runs that are due, in one statement; ends the runs that lost theirs. A run that has ended is still
 * saving its files or committing: it keeps its conversation, and its last write passes the fence.
 */
export async function keepLeases(
  database: Database,
  worker: string,
  runs: ReadonlySet<Run>,
  leaseMs: number,
): Promise<void> {
  const now = performance.now();
  const due = [...runs].filter((run) => {
    const action = actionAt(run.lease, now);
    return action === 'renew' || (action === 'stop' && run.agentExited);
  });
  if (due.length === 0) return;
  const held = [due.map(({ claim }) => claim.key), due.map(({ claim }) => claim.token)];
  // Not behind what all the turns write, and not behind rows that this worker writes at the same time: a burst of results would
  // cost it its leases. What is skipped is tried again in a sixth of the lease.
  const rows = await database.queryExpress<{ claim: string; renewed: boolean }>(
    `with held as (select * from unnest($2::text[], $3::text[]) as held (key, claim)),
     mine as (
       select c.key from @.conversation c join held on c.key = held.key
       where c.claim = held.claim and c.owner = $1 for update of c skip locked),
     renewed as (
       update @.conversation c set lease_until = clock_timestamp() + $4 * interval '1 ms' from mine where c.key = mine.key
       returning c.claim)
     select c.claim, c.claim in (select claim from renewed) as renewed
     from @.conversation c join held on c.key = held.key where c.claim = held.claim and c.owner = $1`,
    [worker, ...held, leaseMs],
  );
  const found = new Map(rows.map(({ claim, renewed }) => [claim, renewed]));
  for (const run of due) {
    const renewed = found.get(run.claim.token);
    if (renewed) run.renewed(now);
    // A run that ended meanwhile let its conversation go itself.
    else if (renewed === undefined && !run.agentExited) run.lose('taken');
  }
}

/** Says that the worker lives. */
export async function heartbeat(database: Database, row: WorkerRow, running: number, draining: boolean): Promise<void> {
  await database.queryExpress(
    `insert into @.worker (id, name, host, pid, slots, running, draining) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (id) do update set running = excluded.running, draining = excluded.draining, heartbeat_at = now()`,
    [row.id, row.name, row.host, row.pid, row.slots, running, draining],
  );
}

/** Removes a worker that has stopped from the list. */
export function stopWorker(database: Database, { id, name }: WorkerRow): Promise<void> {
  return database.transaction(async (sql) => {
    await sql.query('delete from @.worker where id = $1', [id]);
    await logEvent(sql, 'worker-stopped', { worker: id, detail: { name } });
  });
}

/** Removes workers that were not heard of for a long time; returns how many are left. */
export async function forgetWorkers(database: Database, leaseMs: number): Promise<number> {
  await database.query(
    `with gone as (delete from @.worker where heartbeat_at < now() - $1 * interval '1 ms' returning id, name)
     insert into @.log (kind, worker, detail) select 'worker-lost', id, json_build_object('name', name) from gone`,
    [leaseMs * 4],
  );
  const [left] = await database.query<{ count: number }>('select count(*) as count from @.worker');
  return left?.count ?? 0;
}
