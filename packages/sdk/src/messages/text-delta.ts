import type { Message } from '../wire/messages.ts';
import { field, stringField } from './fields.ts';

/** Options of `textDeltaOf`. */
export interface TextDeltaOptions {
  /** Includes the text of subagents; default false. */
  readonly subagents?: boolean;
}

/**
 * The text that a message adds to an answer while the model writes it; '' for any other message. Needs
 * `includePartialMessages`. The whole answer follows as an `assistant` message, which is the only message for an answer that
 * the CLI did not stream; `assemblePartials` yields it in either case.
 */
export function textDeltaOf(message: Message, options: TextDeltaOptions = {}): string {
  if (message?.type !== 'stream_event') return '';
  const ofSubagent = stringField(message, 'parent_tool_use_id') !== undefined;
  return ofSubagent && options.subagents !== true ? '' : addedText(message.event);
}

function addedText(event: unknown): string {
  const type = field(event, 'type');
  if (type === 'content_block_start') return textIn(field(event, 'content_block'), 'text');
  return type === 'content_block_delta' ? textIn(field(event, 'delta'), 'text_delta') : '';
}

function textIn(part: unknown, type: string): string {
  return field(part, 'type') === type ? (stringField(part, 'text') ?? '') : '';
}
