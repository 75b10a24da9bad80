/** The daily limit of a tenant, its spending, the reservations of its running turns, and the budget of one more turn. */
export interface DailyLimit {
  readonly maxUsdPerDay: number;
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** Null if unknown or unlimited. */
  readonly budgetUsd: number | null;
  /** True if the turn has a limit that may be lowered to what is left: `maxUsdPerTurn`. */
  readonly isFlexible: boolean;
}

/**
 * True if one more turn may start. With a budget, all of it must be left, or the whole daily limit if the budget is larger. Without a
 * budget, any amount must be left. A flexible budget is lowered to what is left, but not while other turns may return some of what they
 * have reserved.
 */
export function isWithin({ maxUsdPerDay, spentUsd, reservedUsd, budgetUsd, isFlexible }: DailyLimit): boolean {
  const left = maxUsdPerDay - spentUsd - reservedUsd;
  // Also if a damaged row makes it NaN.
  if (!(left > ROUNDING_USD)) return false;
  if (isFlexible && reservedUsd <= ROUNDING_USD) return true;
  return budgetUsd === null || left + ROUNDING_USD >= Math.min(budgetUsd, maxUsdPerDay);
}

/** The budget that one more turn reserves; undefined if it may not start. */
export function reservationFor(limit: DailyLimit & { readonly budgetUsd: number }): number | undefined {
  if (!isWithin(limit)) return undefined;
  const { maxUsdPerDay, spentUsd, reservedUsd, budgetUsd } = limit;
  return Math.min(budgetUsd, limit.isFlexible ? maxUsdPerDay - spentUsd - reservedUsd : maxUsdPerDay);
}

/** Sums of floating-point amounts are not exact. */
const ROUNDING_USD = 1e-9;
