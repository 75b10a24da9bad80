import type { Database } from '../database/database.ts';
import { seedOf, shareOf } from '../queue/routes.ts';
import type { WorkerAgent, WorkerInfo } from './workers.ts';

/** Due turns of an agent that wait because no live worker may run them. */
export interface Unserved {
  readonly agent: string;
  readonly waiting: number;
  /**
   * What is missing: a worker with the agent; one of its staged release; or one of any other release, for the conversations that are
   * not in its share.
   */
  readonly missing: 'agent' | 'release' | 'other-release';
  /** The same in words: `no worker has the agent deploy`. */
  readonly reason: string;
}

interface DueRow {
  readonly agent: string;
  /** Null if the agent has no staged release. */
  readonly in_share: boolean | null;
  readonly version: string | null;
  readonly cli: string | null;
  readonly when_none: 'wait' | 'any' | null;
  readonly waiting: number;
}

/** By agent, and by side of its staged release. The cost grows with the turns that wait, not with the stored ones. */
export async function unservedTurns(database: Database, workers: readonly WorkerInfo[]): Promise<Unserved[]> {
  const due = await database.query<DueRow>(
    `select turn.agent, case when r.agent is not null then ${shareOf(seedOf('r'), 'turn.key')} < r.share end as in_share,
            r.version, r.cli, r.when_none, count(*) as waiting
     from @.turn left join @.release r on r.agent = turn.agent
     where (state = 'waiting' and start_after <= now()) or (state = 'parked' and job is not null)
     group by 1, 2, 3, 4, 5 order by 1, 2`,
  );
  const live = workers.filter(({ alive, draining }) => alive && !draining).flatMap(({ agents }) => agents);
  return due.flatMap((row) => {
    const missing = missingFor(
      row,
      live.filter(({ name }) => name === row.agent),
    );
    if (missing === undefined) return [];
    return [{ agent: row.agent, waiting: row.waiting, missing, reason: reasonFor(row, missing) }];
  });
}

function missingFor(row: DueRow, live: readonly WorkerAgent[]): Unserved['missing'] | undefined {
  if (live.length === 0) return 'agent';
  if (row.in_share === null || row.when_none === 'any') return undefined;
  const isOfRelease = ({ version, cli }: WorkerAgent): boolean =>
    (row.version === null || row.version === version) && (row.cli === null || row.cli === cli);
  if (live.some((one) => isOfRelease(one) === row.in_share)) return undefined;
  return row.in_share ? 'release' : 'other-release';
}

function reasonFor({ agent, version, cli }: DueRow, missing: Unserved['missing']): string {
  if (missing === 'agent') return `no worker has the agent ${agent}`;
  const release = [version !== null && `version ${version}`, cli !== null && `CLI ${cli}`]
    .filter(Boolean)
    .join(' and ');
  const which = missing === 'release' ? release : `anything but ${release}`;
  return `no worker runs the agent ${agent} with ${which}`;
}
