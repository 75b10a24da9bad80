import type { FailureResult, SuccessResult } from 'coxswain/types';
import { envelope, type Fields } from './envelope.ts';
import { subagentStats } from './subagent-stats.ts';
import { modelUsage, resultUsage, USUAL_TOKENS } from './usage.ts';

/** Fields of the result of a completed turn. */
export type SuccessFields = Fields<SuccessResult>;

/** Overrides for the result of a turn that failed or was cut off. */
export type FailureFields = Fields<FailureResult>;

/** The end of a successful turn, with this final text. */
export function resultMessage(text = 'Done.', fields: SuccessFields = {}): SuccessResult {
  const timings = { ttft_ms: 5, ttft_stream_ms: 5, time_to_request_ms: 2, first_content_frame_ms: 5 };
  return unansweredResult(text, { ...timings, ...fields });
}

/** The same without the times of an answer: the model gave none. */
export function unansweredResult(text: string, fields: SuccessFields): SuccessResult {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    ...ending(['result', text, fields], fields.total_cost_usd),
    num_turns: 1,
    stop_reason: 'end_turn',
    terminal_reason: 'completed',
    api_error_status: null,
    result: text,
    ...fields,
  };
}

/** The end of a turn that was cut off. */
export function failedResult(
  subtype: FailureResult['subtype'],
  errors: string | readonly string[],
  fields: FailureFields = {},
): FailureResult {
  const said = typeof errors === 'string' ? [errors] : errors;
  return {
    type: 'result',
    subtype,
    is_error: true,
    ...ending(['result', subtype, said, fields], fields.total_cost_usd),
    num_turns: 2,
    stop_reason: 'tool_use',
    terminal_reason: TERMINAL_REASONS[subtype],
    errors: said,
    ...fields,
  };
}

const TERMINAL_REASONS: Readonly<Record<FailureResult['subtype'], NonNullable<FailureResult['terminal_reason']>>> = {
  error_max_turns: 'max_turns',
  error_max_budget_usd: 'budget_exhausted',
  error_during_execution: 'model_error',
  error_max_structured_output_retries: 'structured_output_retry_exhausted',
};

type Ending = Omit<FailureResult, 'type' | 'subtype' | 'is_error' | 'errors' | 'num_turns' | 'stop_reason'>;

function ending(content: unknown, costUsd = 0.00014): Ending {
  return {
    ...envelope(content),
    duration_ms: 10,
    duration_api_ms: 5,
    total_cost_usd: costUsd,
    usage: resultUsage(USUAL_TOKENS),
    modelUsage: modelUsage(costUsd),
    model_usage_since_last_result: modelUsage(costUsd),
    permission_denials: [],
    fast_mode_state: 'off',
    fast_mode_disabled_reason: 'sdk_opt_in_required',
    subagent_stats: subagentStats(new Map()),
    safety_stops: 0,
    queued_turn_count: 0,
    result_index: 0,
  };
}
