import type { ApiMessage, Usage } from './api-message.ts';
import type { ContentBlock } from './content.ts';
import type { JsonObject, Typed, UnknownKind } from './kinds.ts';

/** One event of the API's stream, discriminated by `type`. */
export type StreamEvent = KnownStreamEvent | UnknownStreamEvent;

/** The stream events with a known `type`. */
export type KnownStreamEvent =
  | MessageStartEvent
  | ContentBlockStartEvent
  | ContentBlockDeltaEvent
  | ContentBlockStopEvent
  | MessageDeltaEvent
  | MessageStopEvent
  | PingEvent
  | ErrorEvent;

/** A stream event with an unknown `type`; all fields are kept. */
export interface UnknownStreamEvent extends Typed<UnknownKind>, JsonObject {}

/** A message starts; its content is still empty. */
export interface MessageStartEvent extends Typed<'message_start'> {
  readonly message: ApiMessage;
}

/** A content block starts. */
export interface ContentBlockStartEvent extends Typed<'content_block_start'> {
  readonly index: number;
  readonly content_block: ContentBlock;
}

/** A part of a content block. */
export interface ContentBlockDeltaEvent extends Typed<'content_block_delta'> {
  readonly index: number;
  readonly delta: ContentDelta;
}

/** A content block ends. */
export interface ContentBlockStopEvent extends Typed<'content_block_stop'> {
  readonly index: number;
}

/** The message itself changes: the stop reason and the token counts. */
export interface MessageDeltaEvent extends Typed<'message_delta'> {
  readonly delta: Pick<ApiMessage, 'stop_reason' | 'stop_sequence' | 'stop_details' | 'container'>;
  /** The counts that have changed; the others are those of `message_start`. */
  readonly usage: Omit<Usage, 'input_tokens'> & { readonly input_tokens?: number | null };
  readonly context_management?: JsonObject | null;
}

/** The message ends. */
export interface MessageStopEvent extends Typed<'message_stop'> {}

/** A sign of life from the stream. */
export interface PingEvent extends Typed<'ping'> {}

/** The API ended the stream with an error. */
export interface ErrorEvent extends Typed<'error'> {
  readonly error: { readonly type: string; readonly message: string };
}

/** A part of a content block, discriminated by `type`. */
export type ContentDelta = KnownContentDelta | UnknownContentDelta;

/** The deltas with a known `type`. */
export type KnownContentDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string; readonly estimated_tokens?: number | null }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }
  | { readonly type: 'citations_delta'; readonly citation: JsonObject }
  | { readonly type: 'compaction_delta'; readonly content: string | null };

/** A delta with an unknown `type`; all fields are kept. */
export interface UnknownContentDelta extends Typed<UnknownKind>, JsonObject {}
