import { budgetResult, remainderOf } from '../messages/budget.ts';
import type { FailureResult } from '../wire/result.ts';

/** The known facts about the budget of a key when a process is started for it. */
export interface KeyBudget {
  /** That of the conversation; that of a job is checked by the CLI of the job alone. */
  readonly limitUsd: number | undefined;
  /** The cost of the earlier processes of the key. */
  readonly spentUsd: number;
}

/** The budget of a process of the key: the rest of the conversation's budget, or that of its job if it is less. */
export function processBudget({ limitUsd, spentUsd }: KeyBudget, jobUsd: number | undefined): number | undefined {
  const left = remainderOf(limitUsd, spentUsd);
  return left === undefined || jobUsd === undefined ? (left ?? jobUsd) : Math.min(left, jobUsd);
}

/** The result of a job that needs a process when the budget of its conversation is spent; `undefined` when it is not. */
export function spentResult(
  { limitUsd, spentUsd }: KeyBudget,
  names: { readonly sessionId: string; readonly turn: string; readonly uuid: string },
): FailureResult | undefined {
  if (limitUsd === undefined || remainderOf(limitUsd, spentUsd) !== 0) return undefined;
  return budgetResult({ budgetUsd: limitUsd, totalCostUsd: spentUsd, ...names });
}
