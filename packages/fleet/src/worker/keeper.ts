import type { Database } from '../database/database.ts';
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

/** Ends the runs whose leases could not be renewed in time. */
export function endOverdue(runs: ReadonlySet<Run>): void {
  const now = performance.now();
  for (const run of runs) if (!run.ended && actionAt(run.lease, now) === 'stop') run.lose();
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
    return action === 'renew' || (action === 'stop' && run.ended);
  });
  if (due.length === 0) return;
  const held = [due.map(({ claim }) => claim.key), due.map(({ claim }) => claim.epoch)];
  // Not behind what all the turns write, and not behind rows that this worker writes at the same time: a burst of results would
  // cost it its leases. What is skipped is tried again in a sixth of the lease.
  const rows = await database.queryExpress<{ key: string }>(
    `with mine as (
       select c.key from @.conversation c join unnest($2::text[], $3::bigint[]) as held (key, epoch) on c.key = held.key
       where c.epoch = held.epoch and c.owner = $1 for update of c skip locked)
     update @.conversation c set lease_until = clock_timestamp() + $4 * interval '1 ms' from mine where c.key = mine.key returning c.key`,
    [worker, ...held, leaseMs],
  );
  const renewed = new Set(rows.map(({ key }) => key));
  for (const run of due) if (renewed.has(run.claim.key)) run.renewed(now);
  if (renewed.size === due.length) return;
  const left = await database.queryExpress<{ key: string }>(
    `select c.key from @.conversation c join unnest($2::text[], $3::bigint[]) as held (key, epoch) on c.key = held.key
     where c.epoch = held.epoch and c.owner = $1`,
    [worker, ...held],
  );
  const still = new Set(left.map(({ key }) => key));
  // A run that ended meanwhile let its conversation go itself.
  for (const run of due) if (!still.has(run.claim.key) && !run.ended) run.lose();
}

/** Says that the worker lives. */
export async function heartbeat(database: Database, row: WorkerRow, running: number, draining: boolean): Promise<void> {
  await database.queryExpress(
    `insert into @.worker (id, name, host, pid, slots, running, draining) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (id) do update set running = excluded.running, draining = excluded.draining, heartbeat_at = now()`,
    [row.id, row.name, row.host, row.pid, row.slots, running, draining],
  );
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
