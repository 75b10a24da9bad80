import type { TurnCost } from 'coxswain';

/** No turn costs this much; sums of larger amounts could overflow, and then nothing of the tenant could be stored any more. */
const MOST_USD = 1e9;

/** The cost that an agent reported, as an amount that rows and sums can hold. */
export function storableCost(cost: TurnCost): TurnCost {
  const { costUsd } = cost;
  return costUsd >= 0 && costUsd <= MOST_USD ? cost : { ...cost, costUsd: costUsd > MOST_USD ? MOST_USD : 0 };
}
