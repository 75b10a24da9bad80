/** What a tenant may spend on a day, what it has spent, what its running turns may still cost, and what one more turn may cost. */
export interface DailyLimit {
  readonly maxUsdPerDay: number;
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** Null if that is not known, or not limited. */
  readonly budgetUsd: number | null;
}

/**
 * Whether one more turn may start. A turn with a budget needs all of it, or a whole day if its budget is larger than that; one
 * without a budget needs that anything is left, because nothing limits it.
 */
export function isWithin({ maxUsdPerDay, spentUsd, reservedUsd, budgetUsd }: DailyLimit): boolean {
  const left = maxUsdPerDay - spentUsd - reservedUsd;
  return budgetUsd === null ? left > ROUNDING_USD : left + ROUNDING_USD >= Math.min(budgetUsd, maxUsdPerDay);
}

/** Sums of amounts are not exact. */
const ROUNDING_USD = 1e-9;
