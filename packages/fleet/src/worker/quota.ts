import type { Transaction } from '../database/database.ts';
import { type DailyLimit, isWithin, reservationFor } from '../turn/daily-limit.ts';
import { budgetLeft, lowestUsd, type TurnLimits } from '../turn/turn-budget.ts';

/** A turn whose tenant may have a quota. */
interface QuotaTurn {
  readonly id: string;
  readonly tenant: string;
}

/** Whether the quota of a tenant allows a turn now. */
export interface QuotaAnswer {
  readonly isAllowed: boolean;
  /** `maxUsdPerTurn` of the turn or the quota; null if there is none. */
  readonly maxUsd: number | null;
  /** What must be reserved for it in this transaction; null without `maxUsdPerTurn` or a daily limit. */
  readonly reservedUsd: number | null;
}

/** Checks a turn against the quota of its tenant. Locks the tenant's row until the transaction ends, so that workers count one after the other. */
export async function checkQuota(
  sql: Transaction,
  turn: QuotaTurn & Pick<TurnLimits, 'maxUsd' | 'earlierUsd'> & { readonly budgetUsd: number | null },
): Promise<QuotaAnswer> {
  const [quota] = await sql.query<QuotaRow>(
    'select max_concurrent, max_usd_per_day, max_usd_per_turn from @.tenant where name = $1 for update',
    [turn.tenant],
  );
  const maxUsd = lowestUsd(turn.maxUsd, quota?.max_usd_per_turn ?? null);
  const allowed = { isAllowed: true, maxUsd, reservedUsd: null };
  if (quota === undefined) return allowed;
  if (quota.max_concurrent !== null) {
    const [running] = await sql.query<{ count: number }>(
      `select count(*) as count from @.turn where tenant = $1 and state in ('claimed', 'sent')`,
      [turn.tenant],
    );
    if ((running?.count ?? 0) >= quota.max_concurrent) return { ...allowed, isAllowed: false };
  }
  if (quota.max_usd_per_day === null) return allowed;
  const limit = await dailyLimit(sql, turn, quota.max_usd_per_day);
  const budgetUsd = budgetLeft({ budgetUsd: undefined, maxUsd, earlierUsd: turn.earlierUsd });
  if (budgetUsd === undefined)
    return { ...allowed, isAllowed: isWithin({ ...limit, budgetUsd: turn.budgetUsd, isFlexible: false }) };
  const reservedUsd = reservationFor({ ...limit, budgetUsd, isFlexible: true });
  return { isAllowed: reservedUsd !== undefined, maxUsd, reservedUsd: reservedUsd ?? null };
}

interface QuotaRow {
  readonly max_concurrent: number | null;
  readonly max_usd_per_day: number | null;
  readonly max_usd_per_turn: number | null;
}

/**
 * Reserves the budget of a turn before it starts. Returns the budget, which is at most the daily limit of the tenant, or what is left of
 * it if the budget is flexible; undefined if the turn must wait. The row of the turn keeps the amount, which counts while a worker has the turn.
 */
export async function reserve(
  sql: Transaction,
  turn: QuotaTurn & { readonly budgetUsd: number; readonly isFlexible: boolean },
): Promise<number | undefined> {
  const [quota] = await sql.query<{ max_usd_per_day: number }>(
    'select max_usd_per_day from @.tenant where name = $1 and max_usd_per_day is not null for update',
    [turn.tenant],
  );
  if (quota === undefined) return turn.budgetUsd;
  const { max_usd_per_day: maxUsdPerDay } = quota;
  const limit = await dailyLimit(sql, turn, maxUsdPerDay);
  const usd = reservationFor({ ...limit, budgetUsd: turn.budgetUsd, isFlexible: turn.isFlexible });
  const needed = Math.min(turn.budgetUsd, maxUsdPerDay);
  await sql.query('update @.turn set budget_usd = $2 where id = $1', [turn.id, usd ?? needed]);
  return usd;
}

async function dailyLimit(
  sql: Transaction,
  { id, tenant }: QuotaTurn,
  maxUsdPerDay: number,
): Promise<Pick<DailyLimit, 'maxUsdPerDay' | 'spentUsd' | 'reservedUsd'>> {
  const [used] = await sql.query<{ spent: number; reserved: number }>(
    `select coalesce((select usd from @.spend where tenant = $1 and day = (now() at time zone 'utc')::date), 0) as spent,
            coalesce((select sum(least(budget_usd, $3)) filter (where budget_usd is not null) from @.turn
                      where tenant = $1 and state in ('claimed', 'sent') and id <> $2), 0) as reserved`,
    [tenant, id, maxUsdPerDay],
  );
  return { maxUsdPerDay, spentUsd: used?.spent ?? 0, reservedUsd: used?.reserved ?? 0 };
}

/** Adds the cost of a turn to the tenant's day. With 0 turns, only the cost counts: the turn runs again and is counted when it ends. */
export async function addSpend(sql: Transaction, tenant: string, usd: number, turns: 0 | 1 = 1): Promise<void> {
  await sql.query(
    `insert into @.spend (tenant, day, usd, turns) values ($1, (now() at time zone 'utc')::date, $2, $3)
     on conflict (tenant, day) do update set usd = spend.usd + excluded.usd, turns = spend.turns + excluded.turns`,
    [tenant, usd, turns],
  );
}
