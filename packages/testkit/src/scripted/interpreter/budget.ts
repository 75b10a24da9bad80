import type { ResultFields } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { endTurn } from './endings.ts';
import type { Turn } from './turn.ts';

/**
 * Ends a turn whose process has spent its budget. The CLI checks it before the first request of a turn and after every message,
 * before its tools and hooks run; `given` is the scripted cost of an ending turn.
 */
export function endsOverBudget(conversation: Conversation, turn: Turn, given: ResultFields = {}): boolean {
  const { args, totalCostUsd, carriedCostUsd } = conversation;
  const correction = given.costUsd === undefined ? 0 : given.costUsd - turn.usage.costUsd;
  if (turn.speaker.quiet || totalCostUsd - carriedCostUsd + correction < args.maxBudgetUsd) return false;
  endOverBudget(conversation, turn, args.maxBudgetUsd);
  return true;
}

export function endOverBudget(conversation: Conversation, turn: Turn, limitUsd: number): void {
  endTurn(conversation, turn, {
    subtype: 'error_max_budget_usd',
    isError: true,
    terminalReason: 'budget_exhausted',
    errors: [`Reached maximum budget ($${limitUsd})`],
  });
}
