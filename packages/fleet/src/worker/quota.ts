import type { Transaction } from '../database/database.ts';

/** Whether the tenant may run one more turn now. Its row is locked until the transaction ends, so that no two workers count at once. */
export async function hasQuota(sql: Transaction, tenant: string): Promise<boolean> {
  const [quota] = await sql.query<{ max_concurrent: number | null; max_usd_per_day: number | null }>(
    'select max_concurrent, max_usd_per_day from @.tenant where name = $1 for update',
    [tenant],
  );
  if (quota === undefined) return true;
  if (quota.max_concurrent !== null) {
    const [running] = await sql.query<{ count: number }>(
      `select count(*) as count from @.turn where tenant = $1 and state in ('claimed', 'sent')`,
      [tenant],
    );
    if ((running?.count ?? 0) >= quota.max_concurrent) return false;
  }
  if (quota.max_usd_per_day === null) return true;
  const [spent] = await sql.query<{ usd: number }>(
    `select usd from @.spend where tenant = $1 and day = (now() at time zone 'utc')::date`,
    [tenant],
  );
  return (spent?.usd ?? 0) < quota.max_usd_per_day;
}

/** Adds what a turn cost to the tenant's day. */
export async function addSpend(sql: Transaction, tenant: string, usd: number): Promise<void> {
  await sql.query(
    `insert into @.spend (tenant, day, usd, turns) values ($1, (now() at time zone 'utc')::date, $2, 1)
     on conflict (tenant, day) do update set usd = spend.usd + excluded.usd, turns = spend.turns + 1`,
    [tenant, usd],
  );
}
