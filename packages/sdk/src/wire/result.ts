import type { StopReason, Usage } from './api-message.ts';
import type { Enveloped, JsonObject, Open, UnknownKind } from './kinds.ts';

/**
 * The end of a turn. It means completion, not success: an API failure is a `success` with `is_error: true`. Use
 * `outcomeOf(result)`.
 */
export type ResultMessage = KnownResult | UnknownResult;

/** The results with a known `subtype`. */
export type KnownResult = SuccessResult | FailureResult;

/** The turn completed; see `is_error`. */
export interface SuccessResult extends ResultBase {
  readonly subtype: 'success';
  /** The final text, or a description of the failure. */
  readonly result: string;
  /** The HTTP status of the API failure, if any. */
  readonly api_error_status?: number | null;
  /** The API's name for the failure. */
  readonly api_error_type?: string | null;
  /** The CLI's name for a failure without an HTTP status. */
  readonly api_error?: Open<'connection_failed' | 'max_output_tokens'> | null;
  readonly structured_output?: unknown;
  readonly deferred_tool_use?: DeferredToolUse;
  /** The slash command that produced this result. */
  readonly local_command?: string;
}

/** The turn was cut off. */
export interface FailureResult extends ResultBase {
  readonly subtype: FailureSubtype;
  readonly errors: readonly string[];
  /** Set if the CLI failed to start. */
  readonly startup_failure_reason?: string;
  readonly invalid_config_file?: string;
}

/** Why a turn was cut off. */
export type FailureSubtype =
  | 'error_max_turns'
  | 'error_max_budget_usd'
  | 'error_during_execution'
  | 'error_max_structured_output_retries';

/** A result with an unknown `subtype`; all fields are kept. */
export interface UnknownResult extends ResultBase, JsonObject {
  readonly subtype: UnknownKind;
}

/** The fields of every result. */
export interface ResultBase extends Enveloped<'result'> {
  /** Defaults to false. */
  readonly is_error?: boolean;
  /** Value for this turn. */
  readonly num_turns: number;
  /** Value for this turn. */
  readonly duration_ms: number;
  /** Total of the process so far. */
  readonly duration_api_ms: number;
  /** The total so far; since 2.1.277 it includes earlier processes of the conversation. Use `turn.cost()` for one turn. */
  readonly total_cost_usd: number;
  /** Value for this turn, without subagents. */
  readonly usage: Usage;
  /** The total so far per model, counted like `total_cost_usd`. */
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly PermissionDenial[];
  readonly stop_reason: StopReason | null;
  readonly terminal_reason?: TerminalReason;
  /** The cause of the turn; absent for a prompt of the user. */
  readonly origin?: MessageOrigin;
  /** The usage since the previous result; present since 2.1.309. */
  readonly model_usage_since_last_result?: Readonly<Record<string, ModelUsage>>;
  readonly result_index?: number;
  readonly queued_turn_count?: number;
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
  readonly resume_reason?: string;
  readonly ttft_ms?: number;
  readonly ttft_stream_ms?: number;
  readonly time_to_request_ms?: number;
  readonly first_content_frame_ms?: number;
  readonly request_sent_wall_ms?: number;
  readonly first_request_input_tokens?: number;
  readonly first_request_cache_read_input_tokens?: number;
  readonly fast_mode_state?: string;
  readonly fast_mode_disabled_reason?: string;
  readonly credential_expires_at?: number | string | null;
  readonly subagent_stats?: JsonObject;
  readonly safety_stops?: number;
}

/** The cause of a message: a user, or an event in the session. */
export interface MessageOrigin {
  readonly kind: Open<'human' | 'task-notification'>;
  readonly [field: string]: unknown;
}

/** A tool call deferred by a hook. */
export interface DeferredToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** A denied tool call. */
export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: JsonObject;
}

/** Tokens and cost of one model. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly webSearchRequests: number;
  readonly costUSD: number;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly thinkingTokens?: number;
  readonly cacheCreationEphemeral5mInputTokens?: number;
  readonly cacheCreationEphemeral1hInputTokens?: number;
  readonly canonicalModel?: string;
  readonly provider?: string;
  readonly costBasis?: Open<'list' | 'managed' | 'unknown'>;
}

/** Why the CLI ended the turn. */
export type TerminalReason = Open<
  | 'completed'
  | 'max_turns'
  | 'budget_exhausted'
  | 'aborted_streaming'
  | 'aborted_tools'
  | 'hook_stopped'
  | 'stop_hook_prevented'
  | 'tool_deferred'
  | 'tool_deferred_unavailable'
  | 'structured_output_retry_exhausted'
  | 'api_error'
  | 'model_error'
  | 'image_error'
  | 'prompt_too_long'
  | 'blocking_limit'
  | 'rapid_refill_breaker'
  | 'malformed_tool_use_exhausted'
  | 'background_requested'
  | 'turn_setup_failed'
>;
