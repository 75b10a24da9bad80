import type { ContentBlock } from './content.ts';
import type { JsonObject, Open } from './kinds.ts';

/** The API's answer inside an assistant message. */
export interface ApiMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  /** `<synthetic>` if the CLI wrote the message, for example to report an API error. */
  readonly model: string;
  readonly content: readonly ContentBlock[];
  /** Null while the message is streamed block by block: read it from `message_delta` or from the result. */
  readonly stop_reason: StopReason | null;
  readonly stop_sequence: string | null;
  readonly stop_details?: JsonObject | null;
  /** The count at the start of the message: read the final count from `message_delta` or from the result. */
  readonly usage: Usage;
  readonly container?: JsonObject | null;
  readonly context_management?: JsonObject | null;
  readonly diagnostics?: JsonObject | null;
}

/** Why the model stopped. */
export type StopReason = Open<
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'compaction'
  | 'model_context_window_exceeded'
  | 'tool_deferred'
>;

/** Tokens used. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation?: {
    readonly ephemeral_1h_input_tokens: number;
    readonly ephemeral_5m_input_tokens: number;
  } | null;
  readonly server_tool_use?: { readonly web_search_requests: number; readonly web_fetch_requests?: number } | null;
  readonly output_tokens_details?: { readonly thinking_tokens: number } | null;
  readonly service_tier?: string | null;
  readonly inference_geo?: string | null;
  readonly speed?: string | null;
  readonly iterations?: readonly JsonObject[] | null;
  readonly fallback_credit?: unknown;
}
