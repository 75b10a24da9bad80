import type { ResultMessage } from '../wire/messages.ts';
import { NOTHING_READ, readingOf, spent } from './cost-meter.ts';
import { numberField } from './read.ts';

/**
 * The cost in USD between the result before and this one, from the results alone. From 2.1.309 on a result says it.
 * Before that it is the growth of the total since `previous`, which must be of the same process; the first result of a
 * process that resumed a conversation in 2.1.277 to 2.1.308 has the total of the conversation in it, which only
 * `turn.cost()` knows how to take out. `undefined` when the result names no cost.
 */
export function costOf(result: ResultMessage, previous?: ResultMessage): number | undefined {
  if (numberField(result, 'total_cost_usd') === undefined) return undefined;
  return spent(result, readingOf(previous) ?? NOTHING_READ).costUsd;
}
