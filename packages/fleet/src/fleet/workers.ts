import type { Database } from '../database/database.ts';
import type { FleetLimits } from '../limits.ts';
import type { AnnouncedAgent } from '../worker/served-agents.ts';

/** A worker, as stored in the database. */
export interface WorkerInfo {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly slots: number;
  /** The number of turns it is running. */
  readonly running: number;
  /** The number of processes that it keeps for the next turns of their conversations. */
  readonly warm: number;
  /** The agents that it runs; empty if it is lost. */
  readonly agents: readonly WorkerAgent[];
  readonly draining: boolean;
  /** True if its last heartbeat is younger than its lease. */
  readonly alive: boolean;
  readonly startedAt: number;
  readonly heartbeatAt: number;
}

/** An agent of a worker. */
export interface WorkerAgent {
  readonly name: string;
  /** The `version` of `defineAgent()`. */
  readonly version: string | null;
  /** The release of the CLI: that of its last turn, or before the first one that of the CLI which the worker has found. */
  readonly cli: string | null;
}

interface WorkerRow extends Omit<WorkerInfo, 'agents' | 'startedAt' | 'heartbeatAt'> {
  readonly agents: Readonly<Record<string, AnnouncedAgent>>;
  readonly started_at: Date;
  readonly heartbeat_at: Date;
}

/** All workers, the oldest first. */
export async function listWorkers(
  database: Database,
  { leaseMs }: Pick<FleetLimits, 'leaseMs'>,
): Promise<WorkerInfo[]> {
  const rows = await database.query<WorkerRow>(
    `select id, name, host, pid, slots, coalesce(busy.running, 0) as running, warm, agents, draining,
            heartbeat_at > now() - $1 * interval '1 ms' as alive, started_at, heartbeat_at
     from @.worker left join (select worker, count(*) as running from @.turn where state in ('claimed', 'sent') group by 1) busy
       on busy.worker = id
     order by started_at`,
    [leaseMs],
  );
  return rows.map(({ started_at, heartbeat_at, agents, ...worker }) => ({
    ...worker,
    // In an order of its own: PostgreSQL sorts the names by their length.
    agents: Object.entries(agents)
      .map(([name, { version = null, cli = null }]) => ({ name, version, cli }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    startedAt: started_at.getTime(),
    heartbeatAt: heartbeat_at.getTime(),
  }));
}
