import type { Transaction } from '../database/database.ts';
import { isWithin } from '../turn/daily-limit.ts';

/** A turn whose tenant may have a quota. */
interface QuotaTurn {
  readonly id: string;
  readonly tenant: string;
  /** The maximum cost; null if it is unknown or unlimited. */
  readonly budgetUsd: number | null;
}

/** True if the quota of the tenant allows the turn now. Locks the tenant's row until the transaction ends, so that workers count one after the other. */
export async function hasQuota(sql: Transaction, turn: QuotaTurn): Promise<boolean> {
  const [quota] = await sql.query<{ max_concurrent: number | null; max_usd_per_day: number | null }>(
    'select max_concurrent, max_usd_per_day from @.tenant where name = $1 for update',
    [turn.tenant],
  );
  if (quota === undefined) return true;
  if (quota.max_concurrent !== null) {
    const [running] = await sql.query<{ count: number }>(
      `select count(*) as count from @.turn where tenant = $1 and state in ('claimed', 'sent')`,
      [turn.tenant],
    );
    if ((running?.count ?? 0) >= quota.max_concurrent) return false;
  }
  return quota.max_usd_per_day === null || (await isAffordable(sql, turn, quota.max_usd_per_day));
}

/**
 * Reserves the budget of a turn before it starts. Returns the budget, which is at most the daily limit of the tenant; undefined if less
 * is left today, so that the turn must wait. The row of the turn keeps the amount.
 */
export async function reserve(
  sql: Transaction,
  turn: QuotaTurn & { readonly budgetUsd: number },
): Promise<number | undefined> {
  const [quota] = await sql.query<{ max_usd_per_day: number }>(
    'select max_usd_per_day from @.tenant where name = $1 and max_usd_per_day is not null for update',
    [turn.tenant],
  );
  if (quota === undefined) return turn.budgetUsd;
  const { max_usd_per_day: max } = quota;
  const budgetUsd = Math.min(turn.budgetUsd, max);
  await sql.query('update @.turn set budget_usd = $2 where id = $1', [turn.id, budgetUsd]);
  return (await isAffordable(sql, { ...turn, budgetUsd }, max)) ? budgetUsd : undefined;
}

async function isAffordable(
  sql: Transaction,
  { id, tenant, budgetUsd }: QuotaTurn,
  maxUsdPerDay: number,
): Promise<boolean> {
  const [used] = await sql.query<{ spent: number; reserved: number }>(
    `select coalesce((select usd from @.spend where tenant = $1 and day = (now() at time zone 'utc')::date), 0) as spent,
            coalesce((select sum(least(budget_usd, $3)) from @.turn
                      where tenant = $1 and state in ('claimed', 'sent') and id <> $2), 0) as reserved`,
    [tenant, id, maxUsdPerDay],
  );
  const { spent = 0, reserved = 0 } = used ?? {};
  return isWithin({ maxUsdPerDay, spentUsd: spent, reservedUsd: reserved, budgetUsd });
}

/** Adds the cost of a turn to the tenant's day. With 0 turns, only the cost counts: the turn runs again and is counted when it ends. */
export async function addSpend(sql: Transaction, tenant: string, usd: number, turns: 0 | 1 = 1): Promise<void> {
  await sql.query(
    `insert into @.spend (tenant, day, usd, turns) values ($1, (now() at time zone 'utc')::date, $2, $3)
     on conflict (tenant, day) do update set usd = spend.usd + excluded.usd, turns = spend.turns + excluded.turns`,
    [tenant, usd, turns],
  );
}
