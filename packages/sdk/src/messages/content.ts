import { isJsonObject } from '../wire/kinds.ts';
import type { Message, ToolResultBlock, ToolUseBlock } from '../wire/messages.ts';
import { arrayField, field, stringField } from './fields.ts';

/**
 * The text of an assistant or user message, with its text blocks joined; for a result, its final text, which is the last
 * text block. Empty if there is none.
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

/** The tool calls in an assistant message; none for any other message. */
export function toolUsesOf(message: Message): readonly ToolUseBlock[] {
  return blocksOf(message).filter(isToolUse);
}

/** The tool results in a user message; none for any other message. */
export function toolResultsOf(message: Message): readonly ToolResultBlock[] {
  return blocksOf(message).filter(isToolResult);
}

function blocksOf(message: Message): readonly unknown[] {
  const type = field(message, 'type');
  return type === 'assistant' || type === 'user' ? arrayField(field(message, 'message'), 'content') : [];
}

function isToolUse(block: unknown): block is ToolUseBlock {
  return (
    field(block, 'type') === 'tool_use' &&
    stringField(block, 'id') !== undefined &&
    stringField(block, 'name') !== undefined &&
    isJsonObject(field(block, 'input'))
  );
}

function isToolResult(block: unknown): block is ToolResultBlock {
  return field(block, 'type') === 'tool_result' && stringField(block, 'tool_use_id') !== undefined;
}
