import type { Outcome, ResultMessage } from 'coxswain';
import type { SuccessResult } from 'coxswain/types';
import { apiFailure } from './api-failure.ts';
import type { Fields } from './envelope.ts';
import { failedResult, resultMessage, type SuccessFields, unansweredResult } from './result.ts';
import { unusedUsage } from './usage.ts';

/**
 * The result of a turn with this outcome: `outcomeOf(outcomeResult(kind)).kind` is `kind`. The fields match those of
 * CLI 2.1.325.
 */
export function outcomeResult(kind: Outcome['kind'], fields: Fields<ResultMessage> = {}): ResultMessage {
  return { ...RESULTS[kind](), ...fields };
}

const RESULTS: Readonly<Record<Outcome['kind'], () => ResultMessage>> = {
  completed: () => resultMessage(),
  'max-turns': () => failedResult('error_max_turns', 'Reached maximum number of turns (1)'),
  budget: () =>
    failedResult('error_max_budget_usd', 'Reached maximum budget ($0.0001)', {
      num_turns: 1,
      usage: unusedUsage,
    }),
  interrupted: () =>
    failedResult('error_during_execution', DIAGNOSTIC, { stop_reason: null, terminal_reason: 'aborted_streaming' }),
  'stopped-by-hook': () =>
    resultMessage('', { num_turns: 2, stop_reason: 'tool_use', terminal_reason: 'hook_stopped' }),
  deferred: () =>
    resultMessage('', {
      stop_reason: 'tool_deferred',
      terminal_reason: 'tool_deferred',
      deferred_tool_use: { id: 'toolu_01Test', name: 'Bash', input: { command: 'make deploy' } },
    }),
  'tool-unavailable': () =>
    failedResult('error_during_execution', 'The deferred tool is not available.', {
      stop_reason: 'tool_deferred_unavailable',
    }),
  refused: () => resultMessage('I cannot help with that.', { stop_reason: 'refusal' }),
  'context-full': () => apiErrorResult(400, 'Prompt is too long', { terminal_reason: 'prompt_too_long' }),
  'no-such-session': noSuchSession,
  auth: () => apiErrorResult(401),
  'rate-limit': () => apiErrorResult(429),
  'api-error': () => apiErrorResult(529),
  'structured-output': () =>
    failedResult(
      'error_max_structured_output_retries',
      'Failed to provide valid structured output after 5 attempts — last StructuredOutput error: Output does not match required schema: /a: must be number',
      { num_turns: 6 },
    ),
  'execution-error': () => failedResult('error_during_execution', 'Something broke.'),
  // A subtype of a future release; the brand of `UnknownKind` exists only for the compiler.
  unknown: () => ({ ...resultMessage(), subtype: 'error_of_the_future' }) as unknown as ResultMessage,
};

const DIAGNOSTIC = '[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null';

/** The end of a turn whose last request the API rejected: no tokens were used. */
function apiErrorResult(status: number, text?: string, fields: SuccessFields = {}): SuccessResult {
  const { type, text: usual } = apiFailure(status, 'made up');
  return unansweredResult(text ?? usual, {
    is_error: true,
    stop_reason: 'stop_sequence',
    terminal_reason: 'api_error',
    api_error_status: status,
    api_error_type: type,
    total_cost_usd: 0,
    usage: unusedUsage,
    modelUsage: {},
    model_usage_since_last_result: {},
    ...fields,
  });
}

/** The run could not start, so the result has few fields. */
function noSuchSession(): ResultMessage {
  const text = 'No conversation found with session ID: 00000000-0000-4000-8000-000000000002';
  const { uuid, session_id, permission_denials } = resultMessage(text);
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    uuid,
    session_id,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: unusedUsage,
    modelUsage: {},
    permission_denials,
    errors: [text],
    result_index: 0,
  };
}
