/** The cost of a turn, a query or a session, as the CLI counts it at list prices. */
export interface TurnCost {
  readonly costUsd: number;
  /** Tokens of all models, including subagents. */
  readonly usage: TokenCounts;
  readonly byModel: Readonly<Record<string, ModelCost>>;
  /** False if the CLI ended before it reported everything, or cannot report it: the cost is at least this much. */
  readonly complete: boolean;
}

/** Token counts by price category. */
export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
}

/** Tokens and cost of one model. */
export interface ModelCost extends TokenCounts {
  readonly costUsd: number;
}

/** The cost of a session so far. */
export interface SessionCost extends TurnCost {
  /** The cost outside the turns you sent: turns that the CLI started after background work, and pushed frames. */
  readonly background: TurnCost;
}

export const NO_TOKENS: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };

/** The cost of a turn whose prompt never reached the CLI. */
export const NO_COST: TurnCost = { costUsd: 0, usage: NO_TOKENS, byModel: {}, complete: true };

/** Maximum number of models in a sum: the CLI names them, and a session can run for months. */
const MOST_MODELS = 100;
const OTHER_MODELS = 'other models';

/** The sum of two costs. */
export function addCosts(a: TurnCost, b: TurnCost): TurnCost {
  const byModel: Record<string, ModelCost> = { ...a.byModel };
  let models = Object.keys(byModel).length;
  for (const [name, cost] of Object.entries(b.byModel)) {
    const isKnown = Object.hasOwn(byModel, name);
    const model = isKnown || models < MOST_MODELS ? name : OTHER_MODELS;
    if (!isKnown) models += 1;
    const before = Object.hasOwn(byModel, model) ? byModel[model] : undefined;
    byModel[model] = before ? { ...addTokens(before, cost), costUsd: before.costUsd + cost.costUsd } : cost;
  }
  const complete = a.complete && b.complete;
  return { costUsd: a.costUsd + b.costUsd, usage: addTokens(a.usage, b.usage), byModel, complete };
}

export function incomplete(cost: TurnCost): TurnCost {
  return cost.complete ? { ...cost, complete: false } : cost;
}

/** True if the cost is complete and zero. */
export function isNothing({ costUsd, usage, complete }: TurnCost): boolean {
  return complete && costUsd === 0 && Object.values(usage).every((tokens) => tokens === 0);
}

/** The sum of two token counts, or with the factor -1 their difference. */
export function addTokens(a: TokenCounts, b: TokenCounts, factor: 1 | -1 = 1): TokenCounts {
  return {
    inputTokens: a.inputTokens + factor * b.inputTokens,
    outputTokens: a.outputTokens + factor * b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + factor * b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + factor * b.cacheCreationTokens,
  };
}
