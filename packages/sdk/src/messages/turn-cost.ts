/** What the CLI has told of the cost of a turn, a query or a session. It is what the CLI counts, at list prices. */
export interface TurnCost {
  readonly costUsd: number;
  /** Over all models, with subagents. */
  readonly usage: TokenCounts;
  readonly byModel: Readonly<Record<string, ModelCost>>;
  /** False when the CLI ended before it told everything, or cannot tell: then it cost at least this much. */
  readonly complete: boolean;
}

/** Tokens by how they are priced. */
export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
}

/** The part of one model. */
export interface ModelCost extends TokenCounts {
  readonly costUsd: number;
}

/** What a session has cost so far. */
export interface SessionCost extends TurnCost {
  /** The part that belongs to no turn of yours: the CLI's own turns, after background work, and pushed frames. */
  readonly background: TurnCost;
}

/** No tokens. */
export const NO_TOKENS: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };

/** What a turn costs whose prompt the CLI never got. */
export const NO_COST: TurnCost = { costUsd: 0, usage: NO_TOKENS, byModel: {}, complete: true };

/** Both together. */
export function addCosts(a: TurnCost, b: TurnCost): TurnCost {
  if (a === NO_COST) return b;
  if (b === NO_COST) return a;
  const byModel: Record<string, ModelCost> = { ...a.byModel };
  for (const [model, cost] of Object.entries(b.byModel)) {
    const before = Object.hasOwn(byModel, model) ? byModel[model] : undefined;
    byModel[model] = before ? { ...addTokens(before, cost), costUsd: before.costUsd + cost.costUsd } : cost;
  }
  return {
    costUsd: a.costUsd + b.costUsd,
    usage: addTokens(a.usage, b.usage),
    byModel,
    complete: a.complete && b.complete,
  };
}

/** The same, marked as less than all. */
export function incomplete(cost: TurnCost): TurnCost {
  return cost.complete ? { ...cost, complete: false } : cost;
}

/** True when nothing was spent, and that is known. */
export function isNothing({ costUsd, usage, complete }: TurnCost): boolean {
  return complete && costUsd === 0 && Object.values(usage).every((tokens) => tokens === 0);
}

/** The tokens of both. */
export function addTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  };
}
