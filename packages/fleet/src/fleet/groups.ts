import type { Database } from '../database/database.ts';
import { FleetInputError } from '../errors.ts';
import { checkedFilter, checkedLimit, checkedOptions } from './input.ts';

/** The state of turns that were submitted together, in numbers. */
export interface GroupInfo {
  readonly id: string;
  /** The number of turns with which it was submitted. Those that were pruned are counted by no other number. */
  readonly size: number;
  readonly waiting: number;
  readonly running: number;
  readonly parked: number;
  readonly done: number;
  /** The numbers of its outcomes by kind. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What its turns have cost. */
  readonly costUsd: number;
  /** In ms since the epoch. */
  readonly createdAt: number;
}

/** Which groups to list. */
export interface GroupFilter {
  /** True: only those with turns that have not ended; false: only the others. */
  readonly open?: boolean | undefined;
  /** 100 by default. */
  readonly limit?: number | undefined;
}

interface GroupRow extends Pick<GroupInfo, 'id' | 'size' | 'waiting' | 'running' | 'parked' | 'done'> {
  readonly outcomes: Readonly<Record<string, number>> | null;
  readonly usd: number;
  readonly created_at: Date;
}

const FILTER: Readonly<Record<keyof GroupFilter | 'id', true>> = { id: true, open: true, limit: true };

/** Groups, the newest first. @throws FleetInputError */
export async function listGroups(
  database: Database,
  filter: GroupFilter & { readonly id?: string } = {},
): Promise<GroupInfo[]> {
  const { id, open, limit } = checkedOptions(filter, FILTER, 'filter');
  if (open !== undefined && typeof open !== 'boolean') throw new FleetInputError('open', 'must be true or false.');
  const rows = await database.query<GroupRow>(
    `select g.id, g.size, g.created_at, t.*, o.outcomes from @.turn_group g cross join lateral (
       select count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state in ('claimed', 'sent')) as running,
              count(*) filter (where state = 'parked') as parked, count(*) filter (where state = 'done') as done,
              coalesce(sum(cost_usd + coalesce((earlier_cost->>'costUsd')::float8, 0)), 0) as usd
       from @.turn where group_id = g.id) t
     left join lateral (
       select json_object_agg(kind, count) as outcomes from (
         select outcome_kind as kind, count(*) as count from @.turn where group_id = g.id and state = 'done' group by 1) kinds) o on true
     where ($1::text is null or g.id = $1)
       and ($2::boolean is null or $2 = exists (select 1 from @.turn where group_id = g.id and state <> 'done'))
     order by g.created_at desc, g.id limit $3`,
    [checkedFilter('id', id), open ?? null, checkedLimit(limit)],
  );
  return rows.map(({ usd, created_at, outcomes, ...row }) => ({
    ...row,
    outcomes: outcomes ?? {},
    costUsd: usd,
    createdAt: created_at.getTime(),
  }));
}
