import type { TurnCost } from 'coxswain';

/** More than any turn costs. Sums of larger amounts could overflow, and then no turn of the tenant could be stored. */
const MAX_USD = 1e9;

/** Limits the cost that an agent reported to an amount that rows and sums can hold. */
export function storableCost(cost: TurnCost): TurnCost {
  const { costUsd } = cost;
  return costUsd >= 0 && costUsd <= MAX_USD ? cost : { ...cost, costUsd: costUsd > MAX_USD ? MAX_USD : 0 };
}
