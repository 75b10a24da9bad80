import type { ContentBlock, UserMessage } from 'coxswain';
import { bashOutput } from './bash-output.ts';
import { type ToolUseRef, toolResultBlock, toolUseOf } from './blocks.ts';
import { envelope, type Fields, TIMESTAMP } from './envelope.ts';

/** Overrides for a user message. */
export type UserFields = Fields<UserMessage>;

/** A user message of the conversation; with `isReplay: true`, a prompt that the CLI echoes. */
export function userMessage(content: string | readonly ContentBlock[], fields: UserFields = {}): UserMessage {
  return {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    ...envelope(['user', content, fields]),
    timestamp: TIMESTAMP,
    ...fields,
  };
}

/** The result of a tool: `toolResultMessage(toolUseMessage('Bash', { command: 'date' }), 'Sun')`. */
export function toolResultMessage(
  toolUse: ToolUseRef,
  content: string | readonly ContentBlock[],
  fields: UserFields & { readonly isError?: boolean } = {},
): UserMessage {
  const { isError = false, ...rest } = fields;
  const use = toolUseOf(toolUse);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const output = use.name === 'Bash' ? bashOutput(text) : content;
  return userMessage([toolResultBlock(use, content, isError)], {
    tool_use_result: isError ? `Error: ${text}` : output,
    tool_result_meta: [{ id: use.id, permission_decision: { decision: 'accept', source: 'config' } }],
    ...rest,
  });
}

/** A tool call that did not run: the host's permission callback, a hook, or the permission mode refused it. */
export function refusedToolMessage(
  toolUse: ToolUseRef,
  reason: string,
  fields: UserFields & { readonly by?: 'host' | 'hook' | 'mode' } = {},
): UserMessage {
  const { by = 'host', ...rest } = fields;
  const { id, name } = toolUseOf(toolUse);
  const text = by === 'hook' ? `PreToolUse:${name} hook error: ${reason}` : reason;
  return toolResultMessage(toolUse, text, {
    isError: true,
    tool_result_meta: [
      { id, non_execution_kind: 'permission-rule', permission_decision: { decision: 'reject', ...REFUSED_BY[by] } },
    ],
    ...rest,
  });
}

const REFUSED_BY = {
  host: { source: 'user_reject' },
  hook: { source: 'hook', reason_type: 'hook' },
  mode: { source: 'config', reason_type: 'mode' },
} as const;
