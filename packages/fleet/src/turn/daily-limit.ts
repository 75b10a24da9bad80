/** The daily limit of a tenant, its spending, the reservations of its running turns, and the budget of one more turn. */
export interface DailyLimit {
  readonly maxUsdPerDay: number;
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** Null if unknown or unlimited. */
  readonly budgetUsd: number | null;
}

/**
 * True if one more turn may start. With a budget, all of it must be left, or the whole daily limit if the budget is larger. Without a
 * budget, any amount must be left.
 */
export function isWithin({ maxUsdPerDay, spentUsd, reservedUsd, budgetUsd }: DailyLimit): boolean {
  const left = maxUsdPerDay - spentUsd - reservedUsd;
  // Also if a damaged row makes it NaN.
  if (!(left > ROUNDING_USD)) return false;
  return budgetUsd === null || left + ROUNDING_USD >= Math.min(budgetUsd, maxUsdPerDay);
}

/** Sums of floating-point amounts are not exact. */
const ROUNDING_USD = 1e-9;
