import type { ApiMessage } from './api-message.ts';
import type { ContentBlock } from './content.ts';
import type { Enveloped, JsonObject, LooselyEnveloped, Open, UnknownKind } from './kinds.ts';
import type { MessageOrigin, ResultMessage } from './result.ts';
import type { StreamEvent } from './stream-event.ts';
import type { SystemMessage } from './system.ts';
import type { ApiErrorKind } from './system-events.ts';

export type * from './api-message.ts';
export type * from './content.ts';
export type * from './result.ts';
export type * from './stream-event.ts';
export type * from './system.ts';
export type * from './system-events.ts';

/**
 * One message of the CLI, discriminated by `type`. It is the parsed JSON object itself, with the field names of the wire.
 * Fields without `?` were present in every measured release, but the SDK checks only `type`.
 */
export type Message = KnownMessage | UnknownMessage;

/** The messages with a known `type`. */
export type KnownMessage =
  | AssistantMessage
  | UserMessage
  | SystemMessage
  | ResultMessage
  | StreamEventMessage
  | ToolProgressMessage
  | ToolUseSummaryMessage
  | RateLimitEventMessage
  | CommandLifecycleMessage
  | ConversationResetMessage
  | PromptSuggestionMessage
  | AuthStatusMessage
  | TranscriptMirrorMessage
  | ActiveGoalMessage
  | AutocompactStateMessage
  | KeepAliveMessage;

/** A message with an unknown `type`; all fields are kept. */
export interface UnknownMessage extends LooselyEnveloped<UnknownKind>, JsonObject {}

/** The common fields of assistant and user messages. */
interface ConversationMessage<Type extends string> extends Enveloped<Type> {
  /** The tool call that started the subagent; null in the main conversation. */
  readonly parent_tool_use_id: string | null;
  readonly timestamp?: string;
  /** The withheld answer that this message is about. */
  readonly refused_message_id?: string;
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
}

/** Output of the model: one message per content block; all blocks of one answer share `message.id`. */
export interface AssistantMessage extends ConversationMessage<'assistant'> {
  readonly message: ApiMessage;
  /** Set when the CLI wrote the message to report a failure of the API. */
  readonly error?: ApiErrorKind;
  readonly is_api_error_message?: boolean;
  readonly api_error_status?: number | null;
  readonly api_error_type?: string | null;
  readonly api_error?: string | null;
  readonly api_error_params?: JsonObject;
  /** True if an interrupt cut the message off. */
  readonly aborted?: boolean;
  readonly request_id?: string;
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
  readonly supersedes?: readonly string[];
  readonly tool_use_meta?: readonly JsonObject[];
  readonly thinking_duration_ms?: number;
  readonly thinking_display?: string;
  readonly context_usage?: JsonObject;
  readonly usage_report?: JsonObject;
}

/** A message with the role `user`: tool results, replayed prompts, notes of the CLI. */
export interface UserMessage extends ConversationMessage<'user'> {
  readonly message: { readonly role: 'user'; readonly content: string | readonly ContentBlock[] };
  /** The tool's structured result; a string if the tool failed. */
  readonly tool_use_result?: unknown;
  readonly tool_result_meta?: readonly JsonObject[];
  /** True for the CLI's echo of a prompt. */
  readonly isReplay?: boolean;
  /** True if the CLI wrote the message. */
  readonly isSynthetic?: boolean;
  readonly origin?: MessageOrigin;
  readonly priority?: Open<'now' | 'next' | 'later'>;
  readonly shouldQuery?: boolean;
  readonly file_attachments?: readonly unknown[];
}

/** An event of the API's stream, sent with `includePartialMessages`. */
export interface StreamEventMessage extends Enveloped<'stream_event'> {
  readonly event: StreamEvent;
  readonly parent_tool_use_id: string | null;
  readonly api_message_id?: string;
  readonly ttft_ms?: number;
  readonly thinking_display?: string;
  /** Blocks of this message that will never be finished. */
  readonly abandoned_blocks?: { readonly api_message_id: string; readonly from_block_index: number };
}

/** A tool, or a hook, is still running. */
export interface ToolProgressMessage extends Enveloped<'tool_progress'> {
  readonly tool_use_id: string;
  /** The name of the tool, or the event of the hook. */
  readonly tool_name: string;
  readonly parent_tool_use_id: string | null;
  readonly elapsed_time_seconds: number;
  readonly heartbeat?: boolean;
  readonly task_id?: string;
  readonly subagent_retry?: JsonObject;
}

/** A summary of a series of tool calls. */
export interface ToolUseSummaryMessage extends Enveloped<'tool_use_summary'> {
  readonly summary: string;
  readonly preceding_tool_use_ids: readonly string[];
}

/** The state of a rate limit of the account. */
export interface RateLimitEventMessage extends Enveloped<'rate_limit_event'> {
  readonly rate_limit_info: RateLimitInfo;
}

/** One rate limit of the account. */
export interface RateLimitInfo {
  readonly status: Open<'allowed' | 'allowed_warning' | 'rejected'>;
  /** Seconds since 1970. */
  readonly resetsAt?: number;
  readonly rateLimitType?: string;
  readonly utilization?: number;
  readonly [field: string]: unknown;
}

/** The state of a prompt that was sent with a `uuid`. */
export interface CommandLifecycleMessage extends Enveloped<'command_lifecycle'> {
  readonly command_uuid: string;
  readonly state: Open<'queued' | 'started' | 'completed' | 'cancelled'>;
}

/** A new conversation starts, for example after `/clear`. */
export interface ConversationResetMessage extends Enveloped<'conversation_reset'> {
  /** Differs from the new session id. */
  readonly new_conversation_id: string;
  readonly trigger?: Open<'clear'>;
  readonly user_message_uuid?: string;
  readonly timestamp?: string;
}

/** A suggestion for the next prompt; sent after the result. */
export interface PromptSuggestionMessage extends Enveloped<'prompt_suggestion'> {
  readonly suggestion: string;
}

/** The progress of a login. */
export interface AuthStatusMessage extends Enveloped<'auth_status'> {
  readonly isAuthenticating: boolean;
  readonly output: readonly string[];
  readonly error?: string;
}

/** Lines appended to a transcript. */
export interface TranscriptMirrorMessage extends LooselyEnveloped<'transcript_mirror'> {
  readonly filePath: string;
  readonly entries: readonly JsonObject[];
}

/** The goal the session works towards; its shape is not stable. */
export interface ActiveGoalMessage extends LooselyEnveloped<'active_goal'>, JsonObject {}

/** The distance to the next automatic compaction; its shape is not stable. */
export interface AutocompactStateMessage extends LooselyEnveloped<'autocompact_state'>, JsonObject {}

/** A sign of life from the CLI. */
export interface KeepAliveMessage extends LooselyEnveloped<'keep_alive'> {}
