import type { ResultMessage } from '../wire/messages.ts';
import { numberField } from './read.ts';

/**
 * The cost in USD of the turn that `result` ends. The CLI reports the total of its process, so a turn's cost is the growth
 * since the `previous` result of the same process; a total that fell was reset in between, and is the cost itself.
 * `undefined` when the result names no cost.
 */
export function costOf(result: ResultMessage, previous?: ResultMessage): number | undefined {
  const total = numberField(result, 'total_cost_usd');
  if (total === undefined) return undefined;
  const before = numberField(previous, 'total_cost_usd') ?? 0;
  return total >= before ? total - before : total;
}
