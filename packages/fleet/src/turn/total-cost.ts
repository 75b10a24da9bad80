import type { TurnCost } from 'coxswain';
import { addCosts } from 'coxswain/observe';

/** The columns of a turn with its costs. Those of its earlier runs count for its conversation and its tenant since the runs ended. */
export interface CostColumns {
  readonly cost_usd: number;
  readonly cost: TurnCost | null;
  readonly earlier_cost: TurnCost | null;
}

/** What a turn has cost, over all its runs. */
export function totalUsd({ cost_usd, earlier_cost }: Pick<CostColumns, 'cost_usd' | 'earlier_cost'>): number {
  return cost_usd + (earlier_cost?.costUsd ?? 0);
}

/** The cost of a turn, over all its runs; null if none has reported one. */
export function totalCost({ cost, earlier_cost }: Pick<CostColumns, 'cost' | 'earlier_cost'>): TurnCost | null {
  return cost && earlier_cost ? addCosts(earlier_cost, cost) : (cost ?? earlier_cost);
}

/** The cost of a turn whose run was lost. What a run had spent after its prompt was sent is unknown, unless it has reported that. */
export function costOfLost(
  turn: Pick<CostColumns, 'cost' | 'earlier_cost'> & { readonly state: string },
): TurnCost | null {
  const known = totalCost(turn);
  return turn.state === 'sent' && turn.cost === null ? { ...(known ?? NOTHING), complete: false } : known;
}

const NOTHING: Omit<TurnCost, 'complete'> = {
  costUsd: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 },
  byModel: {},
};
