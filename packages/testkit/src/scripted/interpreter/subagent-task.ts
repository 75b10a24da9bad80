import type { JsonObject } from '../../json.ts';
import type { Conversation } from './conversation.ts';
import type { Turn } from './turn.ts';

/** Reports what a subagent is doing. */
export function tellProgress(
  conversation: Conversation,
  own: Turn,
  task: JsonObject,
  agentType: string,
  call: { readonly name: string; readonly input: JsonObject },
): void {
  conversation.emit({
    type: 'system',
    subtype: 'task_progress',
    ...task,
    description: `Running ${call.input.command ?? call.name}`,
    subagent_type: agentType,
    usage: taskUsage(conversation, own, own.userMessages + 1),
    last_tool_name: call.name,
  });
}

/** Reports that a subagent is done, with its result. */
export function tellTaskEnd(
  conversation: Conversation,
  own: Turn,
  task: { readonly task_id: string; readonly run_id: string },
  toolUseId: string,
): void {
  const patch = { status: 'completed', end_time: conversation.now() };
  conversation.emit({ type: 'system', subtype: 'task_updated', ...task, patch });
  conversation.emit({
    type: 'system',
    subtype: 'task_notification',
    ...task,
    tool_use_id: toolUseId,
    status: 'completed',
    output_file: `/tmp/claude/tasks/${task.task_id}.output`,
    summary: own.lastText,
    usage: taskUsage(conversation, own, own.userMessages),
  });
}

function taskUsage(conversation: Conversation, own: Turn, toolUses: number): JsonObject {
  return {
    total_tokens: own.usage.inputTokens + own.usage.outputTokens,
    tool_uses: toolUses,
    duration_ms: conversation.now() - own.startedAt,
  };
}
