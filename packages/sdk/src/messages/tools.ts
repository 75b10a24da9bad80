import type { Message, ToolResultBlock, ToolUseBlock } from '../wire/messages.ts';
import { blocksOf, field, isObject, stringField } from './read.ts';

/** The tool calls in an assistant message; none in any other. */
export function toolUsesOf(message: Message): readonly ToolUseBlock[] {
  return blocksOf(message).filter(isToolUse);
}

/** The tool results in a user message; none in any other. */
export function toolResultsOf(message: Message): readonly ToolResultBlock[] {
  return blocksOf(message).filter(isToolResult);
}

function isToolUse(block: object): block is ToolUseBlock {
  return (
    field(block, 'type') === 'tool_use' &&
    stringField(block, 'id') !== undefined &&
    stringField(block, 'name') !== undefined &&
    isObject(field(block, 'input'))
  );
}

function isToolResult(block: object): block is ToolResultBlock {
  return field(block, 'type') === 'tool_result' && stringField(block, 'tool_use_id') !== undefined;
}
