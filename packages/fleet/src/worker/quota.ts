import type { Transaction } from '../database/database.ts';
import { isWithin } from '../turn/daily-limit.ts';

/** A turn whose tenant may have a quota. */
interface Paying {
  readonly id: string;
  readonly tenant: string;
  /** What it may cost at most; null if that is not known, or not limited. */
  readonly budgetUsd: number | null;
}

/** Whether the tenant may run the turn now. Its row is locked until the transaction ends, so that no two workers count at once. */
export async function hasQuota(sql: Transaction, turn: Paying): Promise<boolean> {
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
 * Reserves what a turn may cost, before it starts. Returns what it may cost at most, which is no more than the tenant may spend on a
 * day; undefined if less than that is left, so that the turn has to wait. The row of the turn keeps the amount.
 */
export async function reserve(
  sql: Transaction,
  turn: Paying & { readonly budgetUsd: number },
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
  { id, tenant, budgetUsd }: Paying,
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

/** Adds what a turn cost to the tenant's day. A turn that runs again is counted when it ends. */
export async function addSpend(sql: Transaction, tenant: string, usd: number, turns: 0 | 1 = 1): Promise<void> {
  await sql.query(
    `insert into @.spend (tenant, day, usd, turns) values ($1, (now() at time zone 'utc')::date, $2, $3)
     on conflict (tenant, day) do update set usd = spend.usd + excluded.usd, turns = spend.turns + excluded.turns`,
    [tenant, usd, turns],
  );
}
