import { isJsonObject } from '../wire/kinds.ts';
import type { ResultMessage } from '../wire/messages.ts';
import { amountField, field } from './fields.ts';
import { addTokens, type ModelCost, NO_COST, NO_TOKENS, type TokenCounts, type TurnCost } from './turn-cost.ts';

/**
 * The cost between the previous result and this one, from the results alone, for recorded messages; `turn.cost()` is more exact.
 * Results of 2.1.309 and later contain it. Before that it is the growth of the totals since `previous`, which must be from the
 * same process; in 2.1.277 to 2.1.308 the first result after resuming a conversation includes the total of the conversation,
 * which only `turn.cost()` can subtract. Not `complete` if the result has no cost. Never throws.
 */
export function costOfResult(result: ResultMessage, previous?: ResultMessage): TurnCost {
  return spent(result, readingOf(previous) ?? NOTHING_READ);
}

/** The running totals of a CLI process. */
export interface CostReading {
  readonly costUsd: number;
  readonly byModel: Readonly<Record<string, ModelCost>>;
}

/** The initial totals of a process that carried none over from an earlier one. */
export const NOTHING_READ: CostReading = { costUsd: 0, byModel: {} };

/**
 * The cost between two results; `before` contains the totals of the earlier one. Results of 2.1.309 and later contain it.
 * For older releases it is the growth of the totals; totals that decreased were reset by `/clear` and are the cost itself.
 * Without `before` only the tokens of the main conversation are known.
 */
export function spent(result: unknown, before: CostReading | undefined): TurnCost {
  const stated = field(result, 'model_usage_since_last_result');
  if (isJsonObject(stated)) return { ...costOfModels(modelsIn(stated)), complete: isSound(stated) };
  const now = readingOf(result);
  if (now === undefined || before === undefined) return { ...NO_COST, usage: tokensOf(result), complete: false };
  return costBetween(before, now);
}

/** The cost between two readings. Totals that decreased were reset, and are the cost itself. */
export function costBetween(before: CostReading, now: CostReading): TurnCost {
  const grown = hasFallen(now, before) ? now : difference(now, before);
  return { ...costOfModels(grown.byModel), costUsd: grown.costUsd };
}

/** True if the totals were reset since `before`, so that they do not include the cost until the reset. */
export function wasReset(result: unknown, before: CostReading | undefined): boolean {
  if (isJsonObject(field(result, 'model_usage_since_last_result'))) return false;
  const now = readingOf(result);
  return now !== undefined && before !== undefined && hasFallen(now, before);
}

/** The totals in a result; `undefined` if it contains none. */
export function readingOf(result: unknown): CostReading | undefined {
  return reading(result, 'modelUsage');
}

/** The totals in the answer to `get_usage`. */
export function readingInUsage(answer: unknown): CostReading | undefined {
  return reading(field(answer, 'session'), 'model_usage');
}

function reading(value: unknown, models: string): CostReading | undefined {
  const costUsd = amountField(value, 'total_cost_usd');
  return costUsd === undefined ? undefined : { costUsd, byModel: modelsIn(field(value, models)) };
}

/** False if an amount is missing because it was negative. */
function isSound(models: object): boolean {
  return Object.values(models).every((usage) =>
    Object.values(Object(usage)).every((amount) => typeof amount !== 'number' || amount >= 0),
  );
}

function modelsIn(value: unknown): Readonly<Record<string, ModelCost>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([model, usage]) => [model, modelCost(usage)]));
}

function modelCost(usage: unknown): ModelCost {
  return {
    costUsd: amountField(usage, 'costUSD') ?? 0,
    inputTokens: amountField(usage, 'inputTokens') ?? 0,
    outputTokens: amountField(usage, 'outputTokens') ?? 0,
    cacheReadTokens: amountField(usage, 'cacheReadInputTokens') ?? 0,
    cacheCreationTokens: amountField(usage, 'cacheCreationInputTokens') ?? 0,
  };
}

function costOfModels(byModel: Readonly<Record<string, ModelCost>>): TurnCost {
  const models = Object.values(byModel);
  return {
    costUsd: models.reduce((sum, { costUsd }) => sum + costUsd, 0),
    usage: models.reduce<TokenCounts>((sum, model) => addTokens(sum, model), NO_TOKENS),
    byModel,
    complete: true,
  };
}

/** The tokens of the turn, without subagents. */
function tokensOf(result: unknown): TokenCounts {
  const usage = field(result, 'usage');
  return {
    inputTokens: amountField(usage, 'input_tokens') ?? 0,
    outputTokens: amountField(usage, 'output_tokens') ?? 0,
    cacheReadTokens: amountField(usage, 'cache_read_input_tokens') ?? 0,
    cacheCreationTokens: amountField(usage, 'cache_creation_input_tokens') ?? 0,
  };
}

function hasFallen(now: CostReading, before: CostReading): boolean {
  if (now.costUsd < before.costUsd) return true;
  return Object.entries(before.byModel).some(([model, earlier]) => {
    const later = Object.hasOwn(now.byModel, model) ? now.byModel[model] : undefined;
    return later === undefined || Object.values(addTokens(later, earlier, -1)).some((tokens) => tokens < 0);
  });
}

function difference(now: CostReading, before: CostReading): CostReading {
  const grown = Object.entries(now.byModel).flatMap(([model, later]): [string, ModelCost][] => {
    const earlier = Object.hasOwn(before.byModel, model) ? before.byModel[model] : undefined;
    if (earlier === undefined) return [[model, later]];
    // The cost of one model can be corrected downwards while the total grows.
    const costUsd = Math.max(0, later.costUsd - earlier.costUsd);
    const rest = { costUsd, ...addTokens(later, earlier, -1) };
    // Omit models that were not used between the two results.
    return Object.values(rest).every((amount) => amount === 0) ? [] : [[model, rest]];
  });
  return { costUsd: now.costUsd - before.costUsd, byModel: Object.fromEntries(grown) };
}
