import type { AssistantMessage, ContentBlock } from 'coxswain';
import type { StreamEvent, StreamEventMessage } from 'coxswain/types';
import { envelope, type Fields } from './envelope.ts';
import { messageUsage } from './usage.ts';

/** How an answer is split into events. */
export interface PartialOptions {
  /** Characters per delta; by default a delta is one word. */
  readonly chunkSize?: number;
}

/** One event of the API's own stream, as it comes with `includePartialMessages`. */
export function streamEvent(event: StreamEvent, fields: Fields<StreamEventMessage> = {}): StreamEventMessage {
  return {
    type: 'stream_event',
    event,
    parent_tool_use_id: null,
    api_message_id: 'msg_01Test',
    ...envelope(['stream_event', event, fields]),
    ...fields,
  };
}

/**
 * The events that stream an answer, from `message_start` to `message_stop`. As in the CLI, the assistant
 * message of a block comes right before that block's `content_block_stop`.
 */
export function partialMessages(answer: AssistantMessage, options: PartialOptions = {}): StreamEventMessage[] {
  const { message, session_id, parent_tool_use_id } = answer;
  const { context_management: _, ...head } = message;
  const event = (number: number, event: StreamEvent, extra: Fields<StreamEventMessage> = {}): StreamEventMessage =>
    streamEvent(event, {
      ...envelope([message.id, number, event]),
      session_id,
      parent_tool_use_id,
      api_message_id: message.id,
      ...extra,
    });
  const stop_reason = message.content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const events: StreamEvent[] = [
    ...message.content.flatMap((block, index) => blockEvents(block, index, options)),
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason ?? stop_reason, stop_sequence: null },
      usage: messageUsage(10, 5),
    },
    { type: 'message_stop' },
  ];
  return [
    event(0, { type: 'message_start', message: { ...head, content: [], stop_reason: null } }, MESSAGE_START),
    ...events.map((each, index) => event(index + 1, each)),
  ];
}

const MESSAGE_START = { ttft_ms: 5, thinking_display: 'updates' } as const;

function blockEvents(block: ContentBlock, index: number, { chunkSize }: PartialOptions): StreamEvent[] {
  const grow = (deltas: readonly Delta[]): StreamEvent[] =>
    deltas.map((delta) => ({ type: 'content_block_delta', index, delta }));
  const cut = (text: string): string[] => cutUp(text, chunkSize);
  const whole = (start: ContentBlock, deltas: readonly Delta[]): StreamEvent[] => [
    { type: 'content_block_start', index, content_block: start },
    ...grow(deltas),
    { type: 'content_block_stop', index },
  ];
  switch (block.type) {
    case 'text':
      return whole(
        { ...block, text: '' },
        cut(block.text).map((text) => ({ type: 'text_delta', text })),
      );
    case 'thinking':
      return whole({ ...block, thinking: '', signature: '' }, [
        ...cut(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }) as const),
        { type: 'signature_delta', signature: block.signature ?? '' },
      ]);
    case 'tool_use':
      return whole(
        { ...block, input: {} },
        cut(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      );
    default:
      return whole(block, []);
  }
}

type Delta = Extract<StreamEvent, { readonly type: 'content_block_delta' }>['delta'];

function cutUp(text: string, chunkSize: number | undefined): string[] {
  const pieces = chunkSize === undefined ? /\S*\s*/g : new RegExp(`.{1,${chunkSize}}`, 'gsu');
  return (text.match(pieces) ?? []).filter((piece) => piece !== '');
}
