/** The amounts that limit the cost of a turn; null or undefined if there is none. */
export interface TurnLimits {
  /** `maxBudgetUsd` of the agent. */
  readonly budgetUsd: number | undefined;
  /** `maxUsdPerTurn` of the turn or its tenant. */
  readonly maxUsd: number | null;
  /** What its earlier runs have cost. */
  readonly earlierUsd: number | null;
}

/** What a turn may still cost: the lower limit, less the cost of its earlier runs. If nothing is left, it still gets the answer that resumes it. */
export function budgetLeft({ budgetUsd, maxUsd, earlierUsd }: TurnLimits): number | undefined {
  // The SDK refuses an invalid amount.
  if (budgetUsd !== undefined && !(budgetUsd > 0)) return budgetUsd;
  const limit = lowestUsd(budgetUsd ?? null, maxUsd);
  if (limit === null || earlierUsd === null) return limit ?? undefined;
  return Math.max(limit - earlierUsd, Math.min(limit, LEAST_USD));
}

/** The lower of two limits; null if there is none. */
export function lowestUsd(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

/** Less than an answer costs. */
const LEAST_USD = 1e-6;
