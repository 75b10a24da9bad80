import type { CostInfo, Tokens } from '../api.ts';

/** The day of the list prices below. */
export const PRICES_OF = '2026-11-18';

/** Dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/** By the beginning of the model's name; the first match counts. */
const PRICES: readonly (readonly [name: string, price: Price])[] = [
  ['claude-opus-5', { input: 4, output: 20 }],
  ['claude-opus-4-1', { input: 15, output: 75 }],
  ['claude-opus-4-2', { input: 15, output: 75 }], // claude-opus-4-20250514
  ['claude-opus-4', { input: 5, output: 25 }],
  ['claude-sonnet-5', { input: 2, output: 10 }],
  ['claude-sonnet-4', { input: 3, output: 15 }],
  ['claude-3-7-sonnet', { input: 3, output: 15 }],
  ['claude-haiku-5', { input: 1, output: 5 }],
  ['claude-haiku-4', { input: 1, output: 5 }],
  ['claude-3-5-haiku', { input: 0.8, output: 4 }],
];

/** The prices of cached tokens, relative to those of input. Writing is the price for five minutes. */
const CACHE = { read: 0.1, write: 1.25 };

/** For the shares of a model without a list price. */
const USUAL: Price = { input: 1, output: 5 };

/** The cost of tokens at list prices; without a price, only the tokens. */
export function estimated(model: string, tokens: Tokens): CostInfo {
  const price = priceOf(model);
  if (price === undefined) return { usd: 0, estimated: 0, tokens, complete: false };
  const usd = at(price, tokens);
  return { usd, estimated: usd, tokens, complete: true };
}

/** A number in proportion to the cost of tokens. */
export function weightOf(model: string, tokens: Tokens): number {
  return at(priceOf(model) ?? USUAL, tokens);
}

function priceOf(model: string): Price | undefined {
  return PRICES.find(([name]) => model.startsWith(name))?.[1];
}

function at({ input, output }: Price, tokens: Tokens): number {
  const cached = tokens.cacheRead * CACHE.read + tokens.cacheCreation * CACHE.write;
  return ((tokens.input + cached) * input + tokens.output * output) / 1_000_000;
}
