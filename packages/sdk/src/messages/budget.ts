import type { FailureResult } from '../wire/result.ts';

/** The remaining budget after earlier processes: `undefined` without a budget, 0 if it is spent. */
export function remainderOf(budgetUsd: number | undefined, spentUsd: number): number | undefined {
  if (budgetUsd === undefined) return undefined;
  // Sums of costs are inexact: without rounding, a fraction of a nanodollar of a spent budget would remain.
  return Math.max(0, Number((budgetUsd - spentUsd).toFixed(9)));
}

/** A turn that is not run, because the budget is spent. */
export interface SpentTurn {
  readonly budgetUsd: number;
  readonly totalCostUsd: number;
  readonly sessionId: string;
  /** The id of the turn, which is also the id of its prompt. */
  readonly turn: string;
  readonly uuid: string;
}

/** The result of a turn whose budget is already spent, in the CLI's format. */
export function budgetResult({ budgetUsd, totalCostUsd, sessionId, turn, uuid }: SpentTurn): FailureResult {
  return {
    type: 'result',
    subtype: 'error_max_budget_usd',
    is_error: true,
    errors: [`Reached maximum budget ($${budgetUsd})`],
    terminal_reason: 'budget_exhausted',
    stop_reason: null,
    num_turns: 1,
    duration_ms: 0,
    duration_api_ms: 0,
    total_cost_usd: totalCostUsd,
    usage: NO_USAGE,
    modelUsage: {},
    model_usage_since_last_result: {},
    permission_denials: [],
    session_id: sessionId,
    user_message_uuid: turn,
    user_message_uuids: [turn],
    uuid,
  };
}

const NO_USAGE = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
} as const;
