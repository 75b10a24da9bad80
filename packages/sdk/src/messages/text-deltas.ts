import type { Message, StreamEventMessage } from '../wire/messages.ts';
import { textOf } from './content.ts';
import { field, stringField } from './fields.ts';
import { setNewest } from './newest.ts';

/** What `textDeltas` yields, and `textDeltaOf` returns. */
export interface TextDeltasOptions {
  /** Includes the text of subagents; default false. */
  readonly subagents?: boolean;
}

/**
 * The model's text as it arrives. Needs `includePartialMessages`; an answer that was not streamed arrives in one piece,
 * and the message about an API failure is left out.
 */
export async function* textDeltas(
  stream: AsyncIterable<Message>,
  options: TextDeltasOptions = {},
): AsyncGenerator<string, void, undefined> {
  const streamed = new Map<string, string>();
  for await (const message of stream) {
    const parent = stringField(message, 'parent_tool_use_id') ?? '';
    if (parent !== '' && options.subagents !== true) continue;
    const text = textOfMessage(message, parent, streamed);
    if (text !== '') yield text;
  }
}

/**
 * The text that one message adds to an answer while it is streamed, for loops over `messages()` or `items()`; '' for any
 * other message. The whole answer follows as an `assistant` message.
 */
export function textDeltaOf(message: Message, options: TextDeltasOptions = {}): string {
  if (message?.type !== 'stream_event') return '';
  const ofSubagent = stringField(message, 'parent_tool_use_id') !== undefined;
  return ofSubagent && options.subagents !== true ? '' : addedText(message.event);
}

/** `streamed` maps each parent to the id of the answer being streamed; empty when the events do not name it. */
function textOfMessage(message: Message, parent: string, streamed: Map<string, string>): string {
  if (message?.type === 'stream_event') return textOfEvent(message, parent, streamed);
  if (message?.type !== 'assistant' || message.error !== undefined) return '';
  const current = streamed.get(parent);
  const id = stringField(message.message, 'id');
  return current !== undefined && (current === '' || current === id) ? '' : textOf(message);
}

function textOfEvent(message: StreamEventMessage, parent: string, streamed: Map<string, string>): string {
  const event: unknown = message.event;
  switch (field(event, 'type')) {
    case 'message_start':
      setNewest(streamed, parent, stringField(field(event, 'message'), 'id') ?? '');
      return '';
    case 'content_block_delta':
      if (!streamed.has(parent)) setNewest(streamed, parent, stringField(message, 'api_message_id') ?? '');
      return addedText(event);
    default:
      return addedText(event);
  }
}

function addedText(event: unknown): string {
  const type = field(event, 'type');
  if (type === 'content_block_start') return textIn(field(event, 'content_block'), 'text');
  return type === 'content_block_delta' ? textIn(field(event, 'delta'), 'text_delta') : '';
}

function textIn(part: unknown, type: string): string {
  return field(part, 'type') === type ? (stringField(part, 'text') ?? '') : '';
}
