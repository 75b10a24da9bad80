import { field, isObject, numberField } from './read.ts';
import { addTokens, type ModelCost, NO_COST, NO_TOKENS, type TokenCounts, type TurnCost } from './turn-cost.ts';

/** The totals of a process, as the CLI counts them up. */
export interface CostReading {
  readonly costUsd: number;
  readonly byModel: Readonly<Record<string, ModelCost>>;
}

/** The totals of a process that took nothing over from another. */
export const NOTHING_READ: CostReading = { costUsd: 0, byModel: {} };

/**
 * What was spent between two results, `before` being the totals at the earlier one. Releases from 2.1.309 on say it
 * themselves. Of an older one it is the growth of the totals; totals that fell were reset by `/clear`, and are the cost
 * itself. With `before` unknown it cannot be told, except for the tokens of the main conversation.
 */
export function spent(result: unknown, before: CostReading | undefined): TurnCost {
  const told = field(result, 'model_usage_since_last_result');
  if (isObject(told)) return costOfModels(modelsIn(told));
  const now = readingOf(result);
  if (now === undefined || before === undefined) return untold(result);
  const grown = hasFallen(now, before) ? now : difference(now, before);
  const cost = { ...costOfModels(grown.byModel), costUsd: grown.costUsd };
  // Releases before modelUsage tell the tokens of the turn only.
  return isObject(field(result, 'modelUsage')) ? cost : { ...cost, usage: tokensOf(result) };
}

/** True when the totals were reset since `before`, and what was spent until then is in none of them. */
export function wasReset(result: unknown, before: CostReading | undefined): boolean {
  if (isObject(field(result, 'model_usage_since_last_result'))) return false;
  const now = readingOf(result);
  return now !== undefined && before !== undefined && hasFallen(now, before);
}

/** The totals a result gives; `undefined` when it gives none. */
export function readingOf(result: unknown): CostReading | undefined {
  return reading(result, 'modelUsage');
}

/** The totals in the answer to `get_usage`. */
export function readingInUsage(answer: unknown): CostReading | undefined {
  return reading(field(answer, 'session'), 'model_usage');
}

function reading(value: unknown, models: string): CostReading | undefined {
  const costUsd = numberField(value, 'total_cost_usd');
  return costUsd === undefined ? undefined : { costUsd, byModel: modelsIn(field(value, models)) };
}

function modelsIn(value: unknown): Readonly<Record<string, ModelCost>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([model, usage]) => [model, modelCost(usage)]));
}

function modelCost(usage: unknown): ModelCost {
  return {
    costUsd: numberField(usage, 'costUSD') ?? 0,
    inputTokens: numberField(usage, 'inputTokens') ?? 0,
    outputTokens: numberField(usage, 'outputTokens') ?? 0,
    cacheReadTokens: numberField(usage, 'cacheReadInputTokens') ?? 0,
    cacheCreationTokens: numberField(usage, 'cacheCreationInputTokens') ?? 0,
  };
}

function costOfModels(byModel: Readonly<Record<string, ModelCost>>): TurnCost {
  const models = Object.values(byModel);
  return {
    costUsd: models.reduce((sum, { costUsd }) => sum + costUsd, 0),
    usage: models.reduce<TokenCounts>(addTokens, NO_TOKENS),
    byModel,
    complete: true,
  };
}

function untold(result: unknown): TurnCost {
  return { ...NO_COST, usage: tokensOf(result), complete: false };
}

/** The tokens of the turn itself, without subagents. */
function tokensOf(result: unknown): TokenCounts {
  const usage = field(result, 'usage');
  return {
    inputTokens: numberField(usage, 'input_tokens') ?? 0,
    outputTokens: numberField(usage, 'output_tokens') ?? 0,
    cacheReadTokens: numberField(usage, 'cache_read_input_tokens') ?? 0,
    cacheCreationTokens: numberField(usage, 'cache_creation_input_tokens') ?? 0,
  };
}

const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;

function hasFallen(now: CostReading, before: CostReading): boolean {
  if (now.costUsd < before.costUsd) return true;
  return Object.entries(before.byModel).some(([model, earlier]) => {
    const later = Object.hasOwn(now.byModel, model) ? now.byModel[model] : undefined;
    return later === undefined || COUNTS.some((count) => later[count] < earlier[count]);
  });
}

function difference(now: CostReading, before: CostReading): CostReading {
  const grown = Object.entries(now.byModel).flatMap(([model, later]): [string, ModelCost][] => {
    const earlier = Object.hasOwn(before.byModel, model) ? before.byModel[model] : undefined;
    if (earlier === undefined) return [[model, later]];
    const rest: ModelCost = {
      costUsd: later.costUsd - earlier.costUsd,
      inputTokens: later.inputTokens - earlier.inputTokens,
      outputTokens: later.outputTokens - earlier.outputTokens,
      cacheReadTokens: later.cacheReadTokens - earlier.cacheReadTokens,
      cacheCreationTokens: later.cacheCreationTokens - earlier.cacheCreationTokens,
    };
    // A model that was not used in between is no part of what was spent.
    return rest.costUsd === 0 && COUNTS.every((count) => rest[count] === 0) ? [] : [[model, rest]];
  });
  return { costUsd: now.costUsd - before.costUsd, byModel: Object.fromEntries(grown) };
}
