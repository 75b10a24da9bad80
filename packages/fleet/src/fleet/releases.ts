import { problemOfAgentName } from '../agent/agent-name.ts';
import type { Database } from '../database/database.ts';
import { JOBS, logEvent, notify } from '../database/log.ts';
import { FleetInputError } from '../errors.ts';
import { checkedFilter, checkedOptions, checkedWord } from './input.ts';

/**
 * A release of an agent that gets a share of its conversations. `version` and `cli` select its workers; at least one of them must be
 * set. The other conversations run on workers of other releases.
 */
export interface Release {
  /** The `version` of `defineAgent()`. */
  readonly version?: string | undefined;
  /** The release of the CLI, such as `2.1.327`. */
  readonly cli?: string | undefined;
  /** From 0 to 1. A hash of its key decides whether a conversation is in the share, so a share that grows moves no conversation back. */
  readonly share: number;
  /**
   * What happens to turns for which no worker of their side lives: `wait` (the default) until one does, or run on `any` worker with the
   * agent.
   */
  readonly whenNone?: 'wait' | 'any' | undefined;
  /** Who sets it. */
  readonly by?: string | undefined;
}

/** The staged release of an agent. */
export interface AgentRelease {
  readonly agent: string;
  readonly version: string | null;
  readonly cli: string | null;
  readonly share: number;
  readonly whenNone: 'wait' | 'any';
  readonly by: string | null;
  /** In ms since the epoch. */
  readonly updatedAt: number;
}

const RELEASE: Readonly<Record<keyof Release, true>> = {
  version: true,
  cli: true,
  share: true,
  whenNone: true,
  by: true,
};

/** Sets or removes the staged release of an agent. Workers follow it from their next search for turns. @throws FleetInputError */
export async function setRelease(database: Database, agent: string, release: Release | null): Promise<void> {
  const problem = problemOfAgentName(agent);
  if (problem !== undefined) throw new FleetInputError('agent', problem);
  const row = release === null ? null : checkedRelease(release);
  await database.transaction(async (sql) => {
    if (row === null) await sql.query('delete from @.release where agent = $1', [agent]);
    else
      await sql.query(
        `insert into @.release (agent, version, cli, share, when_none, set_by) values ($1, $2, $3, $4, $5, $6)
         on conflict (agent) do update set version = excluded.version, cli = excluded.cli, share = excluded.share,
           when_none = excluded.when_none, set_by = excluded.set_by, updated_at = clock_timestamp()`,
        [agent, row.version, row.cli, row.share, row.whenNone, row.by],
      );
    await logEvent(sql, 'release-set', { detail: { agent, ...row } });
    // Turns may go to other workers now.
    await notify(sql, database.schema, JOBS);
  });
}

function checkedRelease(given: Release): Omit<AgentRelease, 'agent' | 'updatedAt'> {
  const { version, cli, share, whenNone, by } = checkedOptions(given, RELEASE, 'release');
  if (typeof share !== 'number' || !(share >= 0 && share <= 1))
    throw new FleetInputError('share', 'must be a number from 0 to 1.');
  const row = {
    version: checkedFilter('version', version),
    cli: checkedFilter('cli', cli),
    share,
    whenNone: checkedWord('whenNone', whenNone, ['wait', 'any'] as const) ?? 'wait',
    by: checkedFilter('by', by),
  };
  if (row.version === null && row.cli === null)
    throw new FleetInputError('version', 'must be set, or cli: they select the workers of the release.');
  return row;
}

/** All staged releases, by agent. */
export async function listReleases(database: Database): Promise<AgentRelease[]> {
  const rows = await database.query<Omit<AgentRelease, 'updatedAt'> & { updated_at: Date }>(
    `select agent, version, cli, share, when_none as "whenNone", set_by as "by", updated_at from @.release order by agent`,
  );
  return rows.map(({ updated_at, ...row }) => ({ ...row, updatedAt: updated_at.getTime() }));
}
