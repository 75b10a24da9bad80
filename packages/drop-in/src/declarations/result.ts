import type { ApiUsage } from './api.ts';
import type { FastModeDisabledReason, FastModeState } from './control.ts';
import type { Envelope, SDKMessageOrigin } from './envelope.ts';

export type SDKPermissionDenial = { tool_name: string; tool_use_id: string; tool_input: Record<string, unknown> };
export type SDKDeferredToolUse = { id: string; name: string; input: Record<string, unknown> };

/** Tokens and cost of one model. */
export type ModelUsage = {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  webSearchRequests: number;
  costUSD: number;
  contextWindow: number;
  maxOutputTokens: number;
  thinkingTokens?: number;
  cacheCreationEphemeral5mInputTokens?: number;
  cacheCreationEphemeral1hInputTokens?: number;
  canonicalModel?: string;
  provider?: string;
  costBasis?: 'list' | 'managed' | 'unknown';
};

/** The CLI sets all fields of a result's usage but one. */
export type NonNullableUsage = {
  [K in keyof ApiUsage]: K extends 'fallback_credit' ? ApiUsage[K] : NonNullable<ApiUsage[K]>;
};

export type TerminalReason =
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
  | 'turn_setup_failed';

type Result<Subtype extends string> = Envelope<'result'> & {
  subtype: Subtype;
  duration_ms: number;
  duration_api_ms: number;
  is_error: boolean;
  num_turns: number;
  stop_reason: string | null;
  total_cost_usd: number;
  usage: NonNullableUsage;
  modelUsage: Record<string, ModelUsage>;
  permission_denials: SDKPermissionDenial[];
  terminal_reason?: TerminalReason;
  credential_expires_at?: string;
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
  origin?: SDKMessageOrigin;
  result_index?: number;
  queued_turn_count?: number;
  user_message_uuid?: string;
  user_message_uuids?: string[];
  resume_reason?: string;
};

/** Why the CLI could not start; newer releases have others. */
export type SDKStartupFailureReason =
  | 'org_pin_api_key_conflict'
  | 'provider_not_allowed'
  | 'org_verify_failed'
  | 'org_pin_mismatch'
  | 'managed_settings_invalid'
  | 'remote_settings_required_unavailable'
  | 'gateway_signin_required'
  | 'gateway_access_denied'
  | 'proxy_invalid'
  | 'temp_dir_unusable'
  | 'cwd_unavailable'
  | 'shell_tool_missing'
  | 'session_held_by_background'
  | 'worktree_resume_refused'
  | 'worktree_unverified'
  | 'cli_version_too_old'
  | 'bypass_root'
  | 'org_config_required_unavailable'
  | 'org_config_refused'
  | 'sandbox_required_unavailable'
  | 'initialize_not_first'
  | 'config_file_invalid'
  | 'managed_settings_not_delivered'
  | 'initialize_fields_not_delivered';

type QueuedBehind = 'none' | 'hold' | 'durable_post' | 'ephemeral_post' | 'retry_backoff';

/** The turn completed. A failure of the API is also a success, with `is_error`. */
export type SDKResultSuccess = Result<'success'> & {
  result: string;
  api_error_status?: number | null;
  structured_output?: unknown;
  deferred_tool_use?: SDKDeferredToolUse;
  local_command?: string;
  ttft_ms?: number;
  ttft_stream_ms?: number;
  time_to_request_ms?: number;
  time_to_request_from_spawn_ms?: number;
  time_origin_ms?: number;
  request_sent_wall_ms?: number;
  warm_spare_claimed?: boolean;
  first_content_frame_ms?: number;
  first_stream_post_ms?: number;
  first_stream_post_ack_ms?: number;
  first_stream_post_queue_wait_ms?: number;
  first_stream_post_queued_behind?: QueuedBehind;
  first_stream_post_wall_ms?: number;
  first_text_post_ms?: number;
  first_text_post_queue_wait_ms?: number;
  first_text_post_queued_behind?: QueuedBehind;
  first_text_post_wall_ms?: number;
};

/** The turn was cut off. */
export type SDKResultError = Result<
  'error_max_turns' | 'error_max_budget_usd' | 'error_during_execution' | 'error_max_structured_output_retries'
> & {
  errors: string[];
  startup_failure_reason?: SDKStartupFailureReason;
  invalid_config_file?: { path: string; is_global: boolean; backup_searched: boolean; backup_path?: string };
};

export type SDKResultMessage = SDKResultSuccess | SDKResultError;
