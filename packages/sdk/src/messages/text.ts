import type { Message } from '../wire/messages.ts';
import { blocksOf, field, stringField } from './read.ts';

/**
 * The text of an assistant or user message, its text blocks joined; the final text of a result, which is its last text block.
 * Empty when there is none.
 */
export function textOf(message: Message): string {
  if (field(message, 'type') === 'result') return stringField(message, 'result') ?? '';
  const plain = field(message, 'type') === 'user' ? stringField(field(message, 'message'), 'content') : undefined;
  if (plain !== undefined) return plain;
  let text = '';
  for (const block of blocksOf(message)) {
    if (field(block, 'type') === 'text') text += stringField(block, 'text') ?? '';
  }
  return text;
}
