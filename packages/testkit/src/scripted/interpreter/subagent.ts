import type { JsonObject, Step, SubagentStep } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { toolResultMeta, userFrame } from './frames/messages.ts';
import { resultUsage } from './frames/usage.ts';
import { closeMessage } from './speech.ts';
import type { Program } from './tasks.ts';
import type { ToolsOutcome } from './tool-use.ts';
import { newTurn, type Speaker, type Turn } from './turn.ts';

/** The input of the tool that starts a subagent. */
export function agentInput({ description, prompt, agentType }: SubagentStep): JsonObject {
  return { description, prompt, subagent_type: agentType, run_in_background: false };
}

/** Runs a subagent in the foreground; its messages carry the id of the tool use that started it. */
export function* runSubagent(
  conversation: Conversation,
  turn: Turn,
  step: SubagentStep,
  toolUseId: string,
  play: (conversation: Conversation, turn: Turn, steps: readonly Step[]) => Program<unknown>,
): Program<ToolsOutcome> {
  const { description, prompt, agentType } = step;
  const task = { task_id: newTaskId(conversation, 'a'), run_id: newTaskId(conversation, '0') };
  turn.subagents.set(agentType, (turn.subagents.get(agentType) ?? 0) + 1);
  conversation.emit({
    type: 'system',
    subtype: 'task_started',
    ...task,
    tool_use_id: toolUseId,
    description,
    subagent_type: agentType,
    is_backgrounded: false,
    spawn_depth: 1,
    task_type: 'local_agent',
    prompt,
  });
  const fields = { agent_id: task.task_id, subagent_type: agentType, task_description: description };
  const speaker: Speaker = {
    fields: { parent_tool_use_id: toolUseId, ...fields },
    quiet: true,
    toolCalled: (call) => tellProgress(conversation, own, { ...task, tool_use_id: toolUseId }, agentType, call),
  };
  const own: Turn = newTurn(conversation, { prompt, speaker });
  conversation.write(userFrame(conversation, own, [{ type: 'text', text: prompt }]));
  yield* play(conversation, own, step.steps);
  closeMessage(conversation, own, 'end_turn');
  tellEnd(conversation, own, task, toolUseId);
  report(conversation, turn, own, step, { toolUseId, agentId: task.task_id });
  return { stopped: false, interrupted: false, responses: [] };
}

/** An id like the CLI gives its tasks. */
export function newTaskId(conversation: Conversation, prefix: string): string {
  return `${prefix}${conversation.world.newId().replaceAll('-', '').slice(0, 16)}`;
}

function tellProgress(
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

function taskUsage(conversation: Conversation, own: Turn, toolUses: number): JsonObject {
  return {
    total_tokens: own.usage.inputTokens + own.usage.outputTokens,
    tool_uses: toolUses,
    duration_ms: conversation.now() - own.startedAt,
  };
}

function tellEnd(conversation: Conversation, own: Turn, task: JsonObject, toolUseId: string): void {
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

function report(
  conversation: Conversation,
  turn: Turn,
  own: Turn,
  step: SubagentStep,
  ids: { readonly toolUseId: string; readonly agentId: string },
): void {
  const { toolUseId, agentId } = ids;
  const content = [{ type: 'text', text: own.lastText }];
  const block = { tool_use_id: toolUseId, type: 'tool_result', content };
  turn.openTools.delete(toolUseId);
  turn.userMessages += 1;
  const tool_use_result = {
    status: 'completed',
    prompt: step.prompt,
    agentId,
    agentType: step.agentType,
    content,
    resolvedModel: conversation.model,
    totalDurationMs: conversation.now() - own.startedAt,
    totalTokens: own.usage.inputTokens + own.usage.outputTokens,
    totalToolUseCount: own.userMessages,
    usage: resultUsage(own.usage),
    canContinueAgent: true,
  };
  const meta = toolResultMeta(toolUseId, { permission_decision: { decision: 'accept', source: 'config' } });
  conversation.write(userFrame(conversation, turn, [block], { tool_use_result, ...meta }));
}
