import type { AssistantMessage, ContentBlock, ToolResultBlock, ToolUseBlock } from 'coxswain';
import type { TextBlock, ThinkingBlock } from 'coxswain/types';
import { idFrom } from './envelope.ts';

/** Refers to a tool call: its block, the message that makes it, or its id. */
export type ToolUseRef = string | ToolUseBlock | AssistantMessage;

/** A text block. */
export function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** A thinking block. */
export function thinkingBlock(thinking: string, signature = 'dGVzdA=='): ThinkingBlock {
  return { type: 'thinking', thinking, signature };
}

/** A tool call; its id is derived from name and input unless given. */
export function toolUseBlock(
  name: string,
  input: ToolUseBlock['input'] = {},
  id: string = idFrom('toolu', [name, input]),
): ToolUseBlock {
  return { type: 'tool_use', id, name, input };
}

/** The result of a tool. */
export function toolResultBlock(
  toolUse: ToolUseRef,
  content: string | readonly ContentBlock[],
  isError = false,
): ToolResultBlock {
  const { id, name } = toolUseOf(toolUse);
  // The CLI omits `is_error` when a tool other than Bash succeeds.
  return { type: 'tool_result', tool_use_id: id, content, ...((isError || name === 'Bash') && { is_error: isError }) };
}

/** The call a reference means; for a bare id, name and input are unknown. */
export function toolUseOf(ref: ToolUseRef): ToolUseBlock {
  if (typeof ref === 'string') return toolUseBlock('', {}, ref);
  if (ref.type === 'tool_use') return ref;
  const block = ref.message.content.find((each): each is ToolUseBlock => each.type === 'tool_use');
  if (block === undefined) throw new TypeError('This assistant message calls no tool, so it has no tool result.');
  return block;
}
