import type { UUID } from 'node:crypto';
import type { ApiMessage, ApiMessageParam, ApiStreamEvent } from './api.ts';
import type { Envelope, SDKAssistantMessageError, SDKMessageOrigin } from './envelope.ts';
import type { SDKContextUsage, SDKUsageReport } from './reports.ts';
import type { SDKResultMessage } from './result.ts';
import type * as system from './system-messages.ts';
import type * as tasks from './task-messages.ts';

export type SDKAssistantMessage = Envelope<'assistant'> & {
  message: ApiMessage;
  parent_tool_use_id: string | null;
  error?: SDKAssistantMessageError;
  request_id?: string;
  user_message_uuid?: string;
  user_message_uuids?: string[];
  resume_reason?: string;
  resumed_from_incomplete_thinking?: true;
  supersedes?: UUID[];
  /** Set if an interrupt cut the message off. */
  aborted?: true;
  timestamp?: string;
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
  context_usage?: SDKContextUsage;
  usage_report?: SDKUsageReport;
};

export type SDKPartialAssistantMessage = Envelope<'stream_event'> & {
  event: ApiStreamEvent;
  parent_tool_use_id: string | null;
  ttft_ms?: number;
  user_message_uuid?: string;
  user_message_uuids?: string[];
  resume_reason?: string;
};

type Prompt = {
  type: 'user';
  message: ApiMessageParam;
  parent_tool_use_id: string | null;
  isSynthetic?: boolean;
  tool_use_result?: unknown;
  priority?: 'now' | 'next' | 'later';
  origin?: SDKMessageOrigin;
  shouldQuery?: boolean;
  timestamp?: string;
  client_composed?: true;
};

/** A prompt, or a message of the CLI in the role of the user. */
export type SDKUserMessage = Prompt & {
  uuid?: UUID;
  pasted_content?: ApiMessageParam['content'][];
  inline_pastes?: string[];
  session_id?: string;
  agent_id?: string;
  subagent_type?: string;
  task_description?: string;
};

/** The CLI's echo of a prompt, with `extraArgs: { 'replay-user-messages': null }`. */
export type SDKUserMessageReplay = Prompt & {
  uuid: UUID;
  session_id: string;
  isReplay: true;
  file_attachments?: unknown[];
};

export type SDKToolProgressMessage = Envelope<'tool_progress'> & {
  tool_use_id: string;
  tool_name: string;
  parent_tool_use_id: string | null;
  elapsed_time_seconds: number;
  heartbeat?: boolean;
  task_id?: string;
  subagent_type?: string;
  subagent_retry?: {
    agent_id: string;
    attempt: number;
    max_retries: number;
    retry_delay_ms: number;
    error_status: number | null;
    error_category: string;
  };
};

export type SDKToolUseSummaryMessage = Envelope<'tool_use_summary'> & {
  summary: string;
  preceding_tool_use_ids: string[];
};

export type SDKRateLimitInfo = {
  status: 'allowed' | 'allowed_warning' | 'rejected';
  /** Seconds since 1970. */
  resetsAt?: number;
  rateLimitType?:
    | 'five_hour'
    | 'seven_day'
    | 'seven_day_opus'
    | 'seven_day_sonnet'
    | 'seven_day_overage_included'
    | 'overage';
  utilization?: number;
  overageStatus?: 'allowed' | 'allowed_warning' | 'rejected';
  overageResetsAt?: number;
  overageDisabledReason?:
    | 'overage_not_provisioned'
    | 'org_level_disabled'
    | 'org_level_disabled_until'
    | 'out_of_credits'
    | 'seat_tier_level_disabled'
    | 'member_level_disabled'
    | 'seat_tier_zero_credit_limit'
    | 'group_zero_credit_limit'
    | 'member_zero_credit_limit'
    | 'org_service_level_disabled'
    | 'no_limits_configured'
    | 'fetch_error'
    | 'unknown';
  isUsingOverage?: boolean;
  overageInUse?: boolean;
  overageEnabled?: boolean;
  surpassedThreshold?: number;
  limitScope?: 'channel' | 'service' | 'group_pool';
  errorCode?: 'credits_required';
  canUserPurchaseCredits?: boolean;
  hasChargeableSavedPaymentMethod?: boolean;
};

export type SDKRateLimitEvent = Envelope<'rate_limit_event'> & { rate_limit_info: SDKRateLimitInfo };
export type SDKPromptSuggestionMessage = Envelope<'prompt_suggestion'> & { suggestion: string };
export type SDKAuthStatusMessage = Envelope<'auth_status'> & {
  isAuthenticating: boolean;
  output: string[];
  error?: string;
};

export type SDKConversationResetMessage = Envelope<'conversation_reset'> & {
  new_conversation_id: UUID;
  trigger?: 'clear' | 'plan_mode_exit' | 'fresh_session' | 'onboarding';
  user_message_uuid?: string;
  timestamp?: string;
};

/** Sent beside the messages; not part of `SDKMessage`. */
export type SDKActiveGoalMessage = Envelope<'active_goal'> & {
  value: {
    condition: string;
    iterations: number;
    set_at: number;
    tokens_at_start: number;
    last_reason?: string;
  } | null;
};

/** The messages of a query. Ignore unknown types and subtypes: newer CLIs send others. */
export type SDKMessage =
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | system.SDKSystemMessage
  | SDKPartialAssistantMessage
  | system.SDKCompactBoundaryMessage
  | system.SDKStatusMessage
  | system.SDKAPIRetryMessage
  | system.SDKControlRequestProgressMessage
  | system.SDKModelRefusalFallbackMessage
  | system.SDKModelRefusalNoFallbackMessage
  | system.SDKLocalCommandOutputMessage
  | system.SDKHookStartedMessage
  | system.SDKHookProgressMessage
  | system.SDKHookResponseMessage
  | system.SDKPluginInstallMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | tasks.SDKTaskNotificationMessage
  | tasks.SDKTaskStartedMessage
  | tasks.SDKTaskUpdatedMessage
  | tasks.SDKTaskProgressMessage
  | tasks.SDKBackgroundTasksChangedMessage
  | system.SDKThinkingTokensMessage
  | system.SDKSessionStateChangedMessage
  | system.SDKWorkerShuttingDownMessage
  | system.SDKCommandsChangedMessage
  | system.SDKNotificationMessage
  | system.SDKFilesPersistedEvent
  | SDKToolUseSummaryMessage
  | system.SDKMemoryRecallMessage
  | SDKRateLimitEvent
  | system.SDKElicitationCompleteMessage
  | system.SDKPermissionDeniedMessage
  | SDKPromptSuggestionMessage
  | system.SDKMirrorErrorMessage
  | system.SDKInformationalMessage
  | SDKConversationResetMessage
  | system.SDKSessionWritesLostMessage;
