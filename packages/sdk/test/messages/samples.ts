import type {
  AssistantMessage,
  ContentBlock,
  Message,
  ResultMessage,
  StreamEvent,
  StreamEventMessage,
} from '../../src/wire/messages.ts';

/** An assistant message. */
export function assistant(id: string, content: readonly ContentBlock[], extra: object = {}): AssistantMessage {
  return {
    type: 'assistant',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content,
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1 },
    },
    parent_tool_use_id: null,
    uuid: `uuid of ${id}`,
    session_id: 'session',
    ...extra,
  };
}

/** A stream event. */
export function event(event: StreamEvent, extra: object = {}): StreamEventMessage {
  return { type: 'stream_event', event, parent_tool_use_id: null, uuid: 'event', session_id: 'session', ...extra };
}

/** A text block. */
export function text(text: string): ContentBlock {
  return { type: 'text', text };
}

/** The beginning of an answer. */
export function start(id: string, extra: object = {}): StreamEventMessage {
  return event({ type: 'message_start', message: assistant(id, []).message }, extra);
}

/** The beginning of a block. */
export function open(index: number, content_block: ContentBlock, extra: object = {}): StreamEventMessage {
  return event({ type: 'content_block_start', index, content_block }, extra);
}

/** More text. */
export function more(index: number, text: string, extra: object = {}): StreamEventMessage {
  return event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }, extra);
}

/** The end of a block. */
export function close(index: number, extra: object = {}): StreamEventMessage {
  return event({ type: 'content_block_stop', index }, extra);
}

/** The end of an answer. */
export function stop(reason: string | null = 'end_turn', extra: object = {}): readonly StreamEventMessage[] {
  const delta = { stop_reason: reason, stop_sequence: null };
  return [
    event({ type: 'message_delta', delta, usage: { input_tokens: 10, output_tokens: 5 } }, extra),
    event({ type: 'message_stop' }, extra),
  ];
}

/** A result with these fields and no others. */
export function result(fields: object): ResultMessage {
  return { type: 'result', subtype: 'success', ...fields } as ResultMessage;
}

/** Any value as a message. */
export function odd(value: unknown): Message {
  return value as Message;
}
