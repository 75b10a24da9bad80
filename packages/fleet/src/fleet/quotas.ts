import type { Database } from '../database/database.ts';
import { FleetInputError } from '../errors.ts';
import { isWithin } from '../turn/daily-limit.ts';
import { checkedAmount, checkedCount, checkedFilter, checkedName, checkedObject, checkedWhole } from './input.ts';

/** How much a tenant may use. A field that is not set has no limit. */
export interface Quota {
  /** Maximum number of turns that run at the same time, on all workers together. */
  readonly maxConcurrent?: number | undefined;
  /**
   * When the tenant has spent this much on a day (UTC), its turns wait for the next day. A turn reserves its `maxBudgetUsd` before it
   * starts, and waits if less is left. A turn without one starts while anything is left and continues to its end, so it can exceed this.
   */
  readonly maxUsdPerDay?: number | undefined;
  /**
   * The most that each turn of the tenant may cost; the agent gets it as its `maxBudgetUsd`, unless that is lower. Each turn reserves it, or
   * what is left of the day if no other turn of the tenant runs.
   */
  readonly maxUsdPerTurn?: number | undefined;
}

/** The quota of a tenant, and its current use. */
export interface TenantQuota extends Quota {
  readonly tenant: string;
  /** Its running turns. */
  readonly running: number;
  /** Its due turns that wait. */
  readonly waiting: number;
  /** Its spending today (UTC). */
  readonly usdToday: number;
  /** The sum of the budgets that its running turns have reserved. */
  readonly usdReserved: number;
  /** The limit that prevents other turns of the tenant from starting; null if none does. */
  readonly reached: Exclude<keyof Quota, 'maxUsdPerTurn'> | null;
}

/** The spending of a tenant on one day. */
export interface Spend {
  readonly tenant: string;
  /** `2026-11-16` */
  readonly day: string;
  readonly usd: number;
  readonly turns: number;
}

/** Sets or removes a quota. @throws FleetInputError */
export async function setQuota(database: Database, tenant: string, quota: Quota | null): Promise<void> {
  checkedName('tenant', tenant);
  if (quota === null) {
    await database.query('delete from @.tenant where name = $1', [tenant]);
    return;
  }
  const unknown = Object.keys(checkedObject('quota', quota)).find((name) => !FIELDS.has(name));
  if (unknown !== undefined)
    throw new FleetInputError(unknown, 'is not a known quota; use maxConcurrent, maxUsdPerDay and maxUsdPerTurn.');
  const { maxConcurrent, maxUsdPerDay, maxUsdPerTurn } = quota;
  if (maxUsdPerTurn === 0) throw new FleetInputError('maxUsdPerTurn', 'must be a number of more than 0.');
  await database.query(
    `insert into @.tenant (name, max_concurrent, max_usd_per_day, max_usd_per_turn) values ($1, $2, $3, $4)
     on conflict (name) do update set max_concurrent = excluded.max_concurrent, max_usd_per_day = excluded.max_usd_per_day,
       max_usd_per_turn = excluded.max_usd_per_turn`,
    [
      tenant,
      checkedCount('maxConcurrent', maxConcurrent),
      checkedAmount('maxUsdPerDay', maxUsdPerDay),
      checkedAmount('maxUsdPerTurn', maxUsdPerTurn),
    ],
  );
}

/** Includes the other fields of `quotas()`, so that its results can be set again. */
const FIELDS: ReadonlySet<string> = new Set([
  'maxConcurrent',
  'maxUsdPerDay',
  'maxUsdPerTurn',
  'tenant',
  'running',
  'waiting',
  'usdToday',
  'usdReserved',
  'reached',
] satisfies (keyof TenantQuota)[]);

interface QuotaRow extends Pick<TenantQuota, 'tenant' | 'running' | 'waiting'> {
  readonly max_concurrent: number | null;
  readonly max_usd_per_day: number | null;
  readonly max_usd_per_turn: number | null;
  readonly usd_today: number;
  readonly usd_reserved: number;
  /** The smallest budget of a waiting turn; null if unknown. */
  readonly usd_needed: number | null;
  /** True if a waiting turn can do with less than its budget. */
  readonly flexible: boolean | null;
}

/** All quotas, by tenant. The cost of the query grows with the waiting and running turns, not with the stored ones. */
export async function listQuotas(database: Database): Promise<TenantQuota[]> {
  const rows = await database.query<QuotaRow>(
    `select name as tenant, max_concurrent, max_usd_per_day, max_usd_per_turn, coalesce(r.running, 0) as running, coalesce(w.waiting, 0) as waiting,
            coalesce(s.usd, 0) as usd_today, coalesce(r.reserved, 0) as usd_reserved,
            coalesce(w.needed, least(w.max_usd, max_usd_per_turn)) as usd_needed,
            max_usd_per_turn is not null or w.max_usd is not null as flexible
     from @.tenant
     left join (select tenant, count(*) as running, sum(budget_usd) as reserved from @.turn
                where state in ('claimed', 'sent') group by 1) r on r.tenant = name
     left join (select tenant, count(*) as waiting, min(budget_usd) as needed, min(max_usd) as max_usd from @.turn
                where state = 'waiting' and start_after <= now() group by 1) w on w.tenant = name
     left join @.spend s on s.tenant = name and s.day = (now() at time zone 'utc')::date
     order by name`,
  );
  return rows.map((row) => {
    const { tenant, running, waiting, usd_today, usd_reserved, usd_needed, flexible } = row;
    const quota = {
      maxConcurrent: row.max_concurrent ?? undefined,
      maxUsdPerDay: row.max_usd_per_day ?? undefined,
      maxUsdPerTurn: row.max_usd_per_turn ?? undefined,
    };
    const used = { tenant, running, waiting, usdToday: usd_today, usdReserved: usd_reserved };
    const next = { budgetUsd: usd_needed, isFlexible: flexible === true };
    return { ...used, ...quota, reached: reachedOf(quota, used, next) };
  });
}

/** The limit that is reached, by the rule that a worker applies before it claims a turn. */
function reachedOf(
  { maxConcurrent, maxUsdPerDay }: Quota,
  { running, usdToday, usdReserved }: Pick<TenantQuota, 'running' | 'usdToday' | 'usdReserved'>,
  next: { readonly budgetUsd: number | null; readonly isFlexible: boolean },
): TenantQuota['reached'] {
  if (maxConcurrent !== undefined && running >= maxConcurrent) return 'maxConcurrent';
  if (maxUsdPerDay === undefined) return null;
  return isWithin({ maxUsdPerDay, spentUsd: usdToday, reservedUsd: usdReserved, ...next }) ? null : 'maxUsdPerDay';
}

/** The spending of tenants. @throws FleetInputError */
export async function spendOf(
  database: Database,
  { tenant, days = 31 }: { readonly tenant?: string | undefined; readonly days?: number | undefined },
): Promise<Spend[]> {
  return database.query<Spend>(
    `select tenant, day::text, usd, turns from @.spend
     where ($1::text is null or tenant = $1) and day > (now() at time zone 'utc')::date - $2::integer order by day desc, tenant`,
    [checkedFilter('tenant', tenant), Math.min(checkedWhole('days', days, 1), MAX_DAYS)],
  );
}

/** A century. PostgreSQL cannot subtract arbitrary numbers of days from a date. */
const MAX_DAYS = 36_525;
