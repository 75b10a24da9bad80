import type { AssistantMessage, ContentBlock, ToolUseBlock } from 'coxswain';
import type { ApiMessage } from 'coxswain/types';
import { apiFailure } from './api-failure.ts';
import { textBlock, thinkingBlock, toolUseBlock } from './blocks.ts';
import { envelope, type Fields, idFrom, MODEL, TIMESTAMP, uuidFrom } from './envelope.ts';
import { syntheticApiMessage } from './synthetic.ts';
import { messageUsage } from './usage.ts';

/** Overrides for an assistant message; `message` overrides fields of the API message inside it. */
export type AssistantFields = Fields<AssistantMessage> & { readonly message?: Partial<ApiMessage> };

/**
 * What the model says: a text, a block or several blocks. The CLI sends each block as a separate message; give them the same
 * `message: { id }` to mark them as one answer.
 */
export function assistantMessage(
  content: string | ContentBlock | readonly ContentBlock[],
  fields: AssistantFields = {},
): AssistantMessage {
  const { message, ...rest } = fields;
  const blocks = blocksOf(content);
  return {
    type: 'assistant',
    message: {
      id: idFrom('msg', blocks),
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: blocks,
      stop_reason: null,
      stop_sequence: null,
      usage: messageUsage(10),
      context_management: null,
      ...message,
    },
    parent_tool_use_id: null,
    ...envelope(['assistant', blocks, fields]),
    timestamp: TIMESTAMP,
    request_id: idFrom('req', blocks),
    ...rest,
  };
}

/** A call of a tool. */
export function toolUseMessage(
  name: string,
  input: ToolUseBlock['input'] = {},
  fields: AssistantFields & { readonly id?: string } = {},
): AssistantMessage {
  const { id, ...rest } = fields;
  return assistantMessage(toolUseBlock(name, input, id), rest);
}

/** A thinking message. */
export function thinkingMessage(thinking: string, fields: AssistantFields = {}): AssistantMessage {
  return assistantMessage(thinkingBlock(thinking), { thinking_duration_ms: 3, thinking_display: 'updates', ...fields });
}

/**
 * What the CLI sends instead of an answer when the API fails; `null` means the user is not logged in. The result that follows
 * is `outcomeResult('rate-limit')`, `outcomeResult('auth')` and so on.
 */
export function apiErrorMessage(status: number | null, fields: AssistantFields = {}): AssistantMessage {
  const { error, type, text } = apiFailure(status, 'made up');
  const { message, ...rest } = fields;
  const content = [textBlock(text)];
  return {
    type: 'assistant',
    message: { ...syntheticApiMessage(uuidFrom(['synthetic', text]), text), ...message },
    parent_tool_use_id: null,
    ...envelope(['api error', content, fields]),
    timestamp: TIMESTAMP,
    error,
    is_api_error_message: true,
    ...(status !== null && {
      request_id: idFrom('req', content),
      api_error_status: status,
      api_error_type: type,
    }),
    ...rest,
  };
}

function blocksOf(content: string | ContentBlock | readonly ContentBlock[]): readonly ContentBlock[] {
  if (typeof content === 'string') return [textBlock(content)];
  return isList(content) ? content : [content];
}

// Array.isArray does not narrow a readonly array away from a union.
function isList<T, U>(value: readonly T[] | U): value is readonly T[] {
  return Array.isArray(value);
}
