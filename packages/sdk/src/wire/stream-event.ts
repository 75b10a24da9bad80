import type { ApiMessage, Usage } from './api-message.ts';
import type { ContentBlock } from './content.ts';
import { hasKnownKind, type JsonObject, type UnknownKind } from './kinds.ts';

/** One event of the API's stream, discriminated by `type`. */
export type StreamEvent = KnownStreamEvent | UnknownStreamEvent;

/** The stream events these types know. */
export type KnownStreamEvent =
  | MessageStartEvent
  | ContentBlockStartEvent
  | ContentBlockDeltaEvent
  | ContentBlockStopEvent
  | MessageDeltaEvent
  | MessageStopEvent
  | PingEvent
  | ErrorEvent;

/** A stream event of a kind these types do not know; all its fields are kept. */
export interface UnknownStreamEvent {
  readonly type: UnknownKind;
  readonly [field: string]: unknown;
}

/** A message starts; its content is still empty. */
export interface MessageStartEvent {
  readonly type: 'message_start';
  readonly message: ApiMessage;
}

/** A content block starts. */
export interface ContentBlockStartEvent {
  readonly type: 'content_block_start';
  readonly index: number;
  readonly content_block: ContentBlock;
}

/** A piece of a content block. */
export interface ContentBlockDeltaEvent {
  readonly type: 'content_block_delta';
  readonly index: number;
  readonly delta: ContentDelta;
}

/** A content block ends. */
export interface ContentBlockStopEvent {
  readonly type: 'content_block_stop';
  readonly index: number;
}

/** The message itself changes: why it stopped, and how many tokens it took. */
export interface MessageDeltaEvent {
  readonly type: 'message_delta';
  readonly delta: {
    readonly stop_reason: string | null;
    readonly stop_sequence: string | null;
    readonly stop_details?: JsonObject | null;
    readonly container?: JsonObject | null;
  };
  readonly usage: Usage;
  readonly context_management?: JsonObject | null;
}

/** The message ends. */
export interface MessageStopEvent {
  readonly type: 'message_stop';
}

/** Shows that the stream is alive. */
export interface PingEvent {
  readonly type: 'ping';
}

/** The API stopped with an error. */
export interface ErrorEvent {
  readonly type: 'error';
  readonly error: { readonly type: string; readonly message: string };
}

/** A piece of a content block, discriminated by `type`. */
export type ContentDelta = KnownContentDelta | UnknownContentDelta;

/** The deltas these types know. */
export type KnownContentDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string; readonly estimated_tokens?: number | null }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }
  | { readonly type: 'citations_delta'; readonly citation: JsonObject }
  | { readonly type: 'compaction_delta'; readonly content: string | null };

/** A delta of a kind these types do not know; all its fields are kept. */
export interface UnknownContentDelta {
  readonly type: UnknownKind;
  readonly [field: string]: unknown;
}

/** True for a stream event of a kind these types do not know. */
export function isUnknownEvent(event: StreamEvent): event is UnknownStreamEvent {
  return !hasKnownKind(event, 'type', knownEvents);
}

const knownEvents: Record<KnownStreamEvent['type'], true> = {
  message_start: true,
  content_block_start: true,
  content_block_delta: true,
  content_block_stop: true,
  message_delta: true,
  message_stop: true,
  ping: true,
  error: true,
};
