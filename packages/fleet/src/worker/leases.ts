import type { Database } from '../database/database.ts';
import { logEvent } from '../database/log.ts';
import { actionAt } from '../lease/lease.ts';
import type { Run } from './run.ts';
import type { ServedAgents } from './served-agents.ts';

/** A worker, as the database lists it. */
export interface WorkerRow {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly slots: number;
  /** For how long the others leave turns to a worker with a process of their conversation. */
  readonly preferMs: number;
}

/** Ends the runs whose leases were not renewed in time: because of the database, unless this process was suspended. */
export function endOverdue(runs: ReadonlySet<Run>, wasSuspended: boolean): void {
  const now = performance.now();
  for (const run of runs)
    if (!run.agentExited && actionAt(run.lease, now) === 'stop') run.lose(wasSuspended ? 'worker' : 'database');
}

/**
 * Renews the leases that are due, in one statement, and ends the runs that lost theirs. A run whose agent has exited keeps its
 * conversation while it saves files or commits, until its last write has passed the fence.
 */
export async function renewLeases(
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
  // Waits neither for the pool nor for rows that this worker is writing: in a burst of results it would lose its leases. Rows that
  // are skipped are tried again after a sixth of the lease.
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
    // A run whose agent has exited may have released its conversation itself.
    else if (renewed === undefined && !run.agentExited) run.lose('taken');
  }
}

/** What a heartbeat reports. */
interface Beat {
  readonly agents: Pick<ServedAgents, 'announced' | 'places'>;
  readonly running: number;
  /** Processes that wait for the next turns of their conversations. */
  readonly warm: number;
  readonly draining: boolean;
}

/** Records a heartbeat. */
export async function heartbeat(database: Database, row: WorkerRow, beat: Beat): Promise<void> {
  const { running, warm, draining, agents } = beat;
  await database.queryExpress(
    `insert into @.worker (id, name, host, pid, slots, running, warm, draining, agents, places)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10)
     on conflict (id) do update set running = excluded.running, warm = excluded.warm, draining = excluded.draining,
       agents = excluded.agents, places = excluded.places, heartbeat_at = now()`,
    [
      ...[row.id, row.name, row.host, row.pid, row.slots, running, warm, draining],
      JSON.stringify(agents.announced),
      agents.places,
    ],
  );
}

/** Removes a stopped worker from the list. */
export function removeWorker(database: Database, { id, name }: WorkerRow): Promise<void> {
  return database.transaction(async (sql) => {
    await sql.query('delete from @.worker where id = $1', [id]);
    await logEvent(sql, 'worker-stopped', { worker: id, detail: { name } });
  });
}

/**
 * Removes workers without a recent heartbeat from the list, and first what they announce: turns that only they could run may then go
 * elsewhere. Returns the number of the others.
 */
export async function removeLostWorkers(database: Database, leaseMs: number): Promise<number> {
  await database.query(
    `update @.worker set agents = '{}', places = '{}' where heartbeat_at < now() - $1 * interval '1 ms' and agents <> '{}'`,
    [leaseMs],
  );
  await database.query(
    `with lost as (delete from @.worker where heartbeat_at < now() - $1 * interval '1 ms' returning id, name)
     insert into @.log (kind, worker, detail) select 'worker-lost', id, json_build_object('name', name) from lost`,
    [leaseMs * 4],
  );
  const [left] = await database.query<{ count: number }>('select count(*) as count from @.worker');
  return left?.count ?? 0;
}
