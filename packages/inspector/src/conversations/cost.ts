import type { TurnCost } from 'coxswain';
import type { CostInfo, Tokens } from '../api.ts';
import { numberIn } from '../transcript/fields.ts';

const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 };

export const NO_COST: CostInfo = { usd: 0, estimated: 0, tokens: NO_TOKENS, complete: true };

/** Converts the cost from the SDK to the page's type. */
export function costInfo({ costUsd, usage, complete }: TurnCost): CostInfo {
  return { usd: costUsd, estimated: 0, tokens: tokensOf(usage), complete };
}

/** Converts the cost of each model. */
export function costsByModel({ byModel, complete }: TurnCost): Record<string, CostInfo> {
  const entries = Object.entries(byModel);
  return Object.fromEntries(
    entries.map(([model, cost]) => [model, { usd: cost.costUsd, estimated: 0, tokens: tokensOf(cost), complete }]),
  );
}

export function addCost(a: CostInfo, b: CostInfo): CostInfo {
  return {
    usd: a.usd + b.usd,
    estimated: a.estimated + b.estimated,
    tokens: addTokens(a.tokens, b.tokens),
    complete: a.complete && b.complete,
  };
}

/** A fraction of a cost. */
export function scaled({ usd, estimated, tokens, complete }: CostInfo, by: number): CostInfo {
  const { input, output, cacheRead, cacheCreation } = tokens;
  return {
    usd: usd * by,
    estimated: estimated * by,
    tokens: { input: input * by, output: output * by, cacheRead: cacheRead * by, cacheCreation: cacheCreation * by },
    complete,
  };
}

/** The first cost without the second. */
export function minus(a: CostInfo, b: CostInfo): CostInfo {
  return addCost(a, scaled(b, -1));
}

function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheCreation: a.cacheCreation + b.cacheCreation,
  };
}

/** The tokens in the usage of an API message, which may come from a file that anyone has written. */
export function tokensIn(usage: Readonly<Record<string, unknown>>): Tokens {
  const tokens = (name: string): number => Math.min(MOST_TOKENS, Math.max(0, numberIn(usage, name) ?? 0));
  return {
    input: tokens('input_tokens'),
    output: tokens('output_tokens'),
    cacheRead: tokens('cache_read_input_tokens'),
    cacheCreation: tokens('cache_creation_input_tokens'),
  };
}

/** More than any answer has; sums of it stay exact. */
const MOST_TOKENS = 1_000_000_000;

/** Largest number of listed names: the CLI supplies those of models and tools. */
const NAMES = 100;

/** The name in `sums` under which a name is counted: another one if the list is full, or if objects have no field of this name. */
export function listedName(
  sums: Readonly<Record<string, CostInfo>>,
  name: string,
  limit: number = NAMES,
  listed: number = Object.keys(sums).length,
): string {
  if (name === '__proto__') return OTHERS;
  return Object.hasOwn(sums, name) || listed < limit ? name : OTHERS;
}

/** Adds costs by name to `sums`; beyond `limit` names, to `others`. */
export function addByName(
  sums: Record<string, CostInfo>,
  more: Readonly<Record<string, CostInfo>>,
  limit: number = NAMES,
): void {
  let listed = Object.keys(sums).length;
  for (const [name, cost] of Object.entries(more)) {
    const place = listedName(sums, name, limit, listed);
    if (!Object.hasOwn(sums, name)) listed += 1;
    sums[place] = Object.hasOwn(sums, place) ? addCost(sums[place] ?? NO_COST, cost) : cost;
  }
}

/** The name for the costs of names beyond the limit. */
const OTHERS = 'others';

function tokensOf(counts: TurnCost['usage']): Tokens {
  return {
    input: counts.inputTokens,
    output: counts.outputTokens,
    cacheRead: counts.cacheReadTokens,
    cacheCreation: counts.cacheCreationTokens,
  };
}
