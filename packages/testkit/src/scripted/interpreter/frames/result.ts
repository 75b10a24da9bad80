import { asJson, type JsonObject, type JsonValue } from '../../../json.ts';
import { subagentStats } from '../../../messages/subagent-stats.ts';
import { resultUsage, unusedUsage } from '../../../messages/usage.ts';
import type { ResultFields } from '../../script-data.ts';
import type { Conversation } from '../conversation.ts';
import { type Turn, uuidsOf } from '../turn.ts';
import { modelUsage } from './usage.ts';

/** How a turn ended. */
export interface Ending {
  readonly subtype: string;
  readonly isError: boolean;
  readonly terminalReason: string;
  readonly text?: string;
  readonly errors?: readonly string[];
  readonly apiError?: { readonly status: number | null; readonly type: string | undefined };
  readonly structuredOutput?: JsonValue;
  readonly deferred?: JsonObject;
}

/** The result of a turn, with every field the CLI gives it. */
export function resultFrame(conversation: Conversation, turn: Turn, ending: Ending, given: ResultFields): JsonObject {
  const isError = given.isError ?? ending.isError;
  const subtype = given.subtype ?? ending.subtype;
  const succeeded = subtype === 'success';
  return {
    type: 'result',
    subtype,
    is_error: isError,
    duration_ms: given.durationMs ?? conversation.now() - turn.startedAt,
    duration_api_ms: conversation.totalApiMs,
    num_turns: turn.userMessages + 1,
    stop_reason: turn.stopReason,
    session_id: conversation.sessionId,
    total_cost_usd: conversation.totalCostUsd,
    usage: asJson(resultUsage(turn.usage)),
    modelUsage: modelUsage(conversation.modelUsage),
    permission_denials: turn.denials,
    terminal_reason: ending.terminalReason,
    ...(turn.origin && { origin: turn.origin }),
    fast_mode_state: 'off',
    fast_mode_disabled_reason: 'sdk_opt_in_required',
    subagent_stats: asJson(subagentStats(turn.subagents)),
    safety_stops: 0,
    ...(succeeded
      ? { api_error_status: ending.apiError?.status ?? null, result: given.text ?? ending.text ?? '' }
      : { errors: ending.errors ?? (given.text === undefined ? [] : [given.text]) }),
    ...(ending.apiError?.type !== undefined && { api_error_type: ending.apiError.type }),
    ...(ending.structuredOutput !== undefined && { structured_output: ending.structuredOutput }),
    ...(ending.deferred && { deferred_tool_use: ending.deferred }),
    ...(succeeded && ending.apiError === undefined && timings(turn)),
    ...correlation(turn),
    uuid: conversation.world.newId(),
    queued_turn_count: conversation.prompts.length,
    result_index: conversation.resultCount,
    model_usage_since_last_result: modelUsage(conversation.usageSinceResult),
    ...given.fields,
  };
}

/** The result of a prompt that never reached the model. */
export function unansweredResult(conversation: Conversation, turn: Turn, text: string): JsonObject {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: conversation.now() - turn.startedAt,
    duration_api_ms: conversation.totalApiMs,
    num_turns: 0,
    stop_reason: null,
    session_id: conversation.sessionId,
    total_cost_usd: conversation.totalCostUsd,
    usage: asJson(unusedUsage),
    modelUsage: modelUsage(conversation.modelUsage),
    permission_denials: [],
    fast_mode_state: 'off',
    fast_mode_disabled_reason: 'sdk_opt_in_required',
    subagent_stats: asJson(subagentStats(turn.subagents)),
    safety_stops: 0,
    result: text,
    ...correlation(turn),
    uuid: conversation.world.newId(),
    queued_turn_count: conversation.prompts.length,
    result_index: conversation.resultCount,
    model_usage_since_last_result: modelUsage(conversation.usageSinceResult),
  };
}

/** The result of a run that could not start: no init came before it. */
export function startFailure(conversation: Conversation, error: string): JsonObject {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    duration_ms: 0,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    session_id: conversation.sessionId,
    total_cost_usd: 0,
    usage: asJson(unusedUsage),
    modelUsage: {},
    permission_denials: [],
    uuid: conversation.world.newId(),
    errors: [error],
    result_index: 0,
  };
}

function timings(turn: Turn): JsonObject {
  const since = (at: number | undefined): number => Math.max(0, (at ?? turn.startedAt) - turn.startedAt);
  return {
    ttft_ms: since(turn.firstTokenAt),
    ttft_stream_ms: since(turn.firstTokenAt),
    time_to_request_ms: since(turn.requestedAt),
    first_content_frame_ms: since(turn.firstTokenAt),
  };
}

/** Which prompts the result answers, when they were sent with a uuid. */
function correlation(turn: Turn): JsonObject {
  const uuids = uuidsOf(turn);
  if (uuids.length === 0) return {};
  return {
    user_message_uuid: uuids.at(-1),
    user_message_uuids: uuids,
    ...(turn.requestedAt !== undefined && {
      request_sent_wall_ms: turn.requestedAt,
      first_request_input_tokens: turn.usage.inputTokens,
      first_request_cache_read_input_tokens: 0,
    }),
  };
}
