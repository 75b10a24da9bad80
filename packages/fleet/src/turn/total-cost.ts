import type { TurnCost } from 'coxswain';
import { addCosts } from 'coxswain/observe';

/** The columns of a turn with its costs. What it had cost until it was parked counts for its tenant since then. */
export interface CostColumns {
  readonly cost_usd: number;
  readonly cost: TurnCost | null;
  readonly parked_cost: TurnCost | null;
}

/** What a turn has cost, over all its runs. */
export function totalUsd({ cost_usd, parked_cost }: Pick<CostColumns, 'cost_usd' | 'parked_cost'>): number {
  return cost_usd + (parked_cost?.costUsd ?? 0);
}

/** The cost of a turn, over all its runs; null if none has reported one. */
export function totalCost({ cost, parked_cost }: Pick<CostColumns, 'cost' | 'parked_cost'>): TurnCost | null {
  return cost && parked_cost ? addCosts(parked_cost, cost) : (cost ?? parked_cost);
}

/** The cost of a turn whose run was lost before it reported what it had spent. */
export function withUnknown(parked: TurnCost | null): TurnCost {
  return { ...(parked ?? NOTHING), complete: false };
}

const NOTHING: Omit<TurnCost, 'complete'> = {
  costUsd: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 },
  byModel: {},
};
