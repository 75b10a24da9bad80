import type { JsonObject } from '../../json.ts';
import { bashOutput } from '../../messages/bash-output.ts';
import type { BackgroundStep, ToolCall } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { toolResultMeta, userFrame } from './frames/messages.ts';
import { newTaskId } from './task-id.ts';
import { type Program, sleep } from './tasks.ts';
import { backgroundInput } from './tool-inputs.ts';
import { admit, type ToolsOutcome } from './tool-use.ts';
import type { Turn } from './turn.ts';

/** Starts a command that outlives its turn. Its time runs from the turn's result, so that a script is deterministic. */
export function* startBackground(
  conversation: Conversation,
  turn: Turn,
  step: BackgroundStep,
  toolUseId: string,
): Program<ToolsOutcome> {
  const outcome: ToolsOutcome = { stopped: false, interrupted: false, responses: [] };
  const admitted = yield* admit(conversation, turn, { call: backgroundCall(step), id: toolUseId }, outcome);
  if (!admitted) return outcome;
  const description = step.command;
  const task = { task_id: newTaskId(conversation, 'b'), run_id: newTaskId(conversation, '0') };
  const output_file = `/tmp/claude/tasks/${task.task_id}.output`;
  const ids = { ...task, tool_use_id: toolUseId, output_file };
  const listed = { ...task, task_type: 'local_bash', description };
  conversation.background.set(task.task_id, { isAgent: false, description, listed, ids });
  tellOpenTasks(conversation);
  conversation.emit({
    type: 'system',
    subtype: 'task_started',
    ...task,
    tool_use_id: toolUseId,
    description,
    is_backgrounded: true,
    task_type: 'local_bash',
  });
  const content = `Command running in background with ID: ${task.task_id}. Output is being written to: ${output_file}.`;
  const block = { tool_use_id: toolUseId, type: 'tool_result', content, is_error: false };
  turn.openTools.delete(toolUseId);
  turn.userMessages += 1;
  const tool_use_result = { ...bashOutput(''), backgroundTaskId: task.task_id };
  const meta = toolResultMeta(toolUseId, admitted.decision.meta);
  conversation.write(userFrame(conversation, turn, [block], { tool_use_result, ...meta }));
  conversation.tasks.start(runBackground(conversation, turn, step, ids));
  return outcome;
}

function backgroundCall(step: BackgroundStep): ToolCall {
  const { permission } = step;
  const input = backgroundInput(step);
  return { name: 'Bash', input, result: '', output: null, isError: false, durationMs: 0, permission, elicits: null };
}

/** Reports which tasks are still open. */
export function tellOpenTasks(conversation: Conversation): void {
  const tasks = [...conversation.background.values()].map(({ listed }) => listed);
  conversation.emit({ type: 'system', subtype: 'background_tasks_changed', tasks });
}

/** Stops a task for the host, without a further turn. An unknown id is ignored. */
export function stopTask(conversation: Conversation, id: string): void {
  const task = conversation.background.get(id);
  if (task === undefined) return;
  conversation.background.delete(id);
  const { task_id, run_id } = task.ids;
  const patch = { status: 'killed', end_time: conversation.now() };
  conversation.emit({ type: 'system', subtype: 'task_updated', task_id, run_id, patch });
  const ended = { status: 'stopped', summary: task.description };
  conversation.emit({ type: 'system', subtype: 'task_notification', ...task.ids, ...ended });
  tellOpenTasks(conversation);
  conversation.tasks.notify('work');
}

function* runBackground(conversation: Conversation, turn: Turn, step: BackgroundStep, task: JsonObject): Program {
  const { task_id, run_id } = task;
  while (turn.phase !== 'over') yield { on: 'notice', name: 'turn over', ms: null };
  yield* sleep(step.runsMs);
  if (!conversation.background.delete(String(task_id))) return;
  const { status, command } = step;
  const patch = { status, end_time: conversation.now() };
  conversation.emit({ type: 'system', subtype: 'task_updated', task_id, run_id, patch });
  const summary = `Background command "${command}" ${status}${status === 'completed' ? ' (exit code 0)' : ''}`;
  conversation.emit({ type: 'system', subtype: 'task_notification', ...task, status, summary });
  tellOpenTasks(conversation);
  const origin = { kind: 'task-notification', producer: 'session-task', runId: run_id };
  conversation.notifications.push({
    origin,
    steps: step.after ?? [{ step: 'say', text: `${summary}.`, everyMs: null }],
  });
  conversation.tasks.notify('work');
}
