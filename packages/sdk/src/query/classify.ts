import type { Message } from '../wire/messages.ts';
import type { MachineEvent } from './stream-machine.ts';

/** What a message means for the end of the run. Any of its fields may be missing or wrong. */
export function classify(message: Message): MachineEvent {
  if (message.type === 'system') return classifySystem(message);
  if (message.type === 'result') return { type: 'result', failed: message.is_error === true };
  return FOLLOW_A_RESULT.has(message.type) ? { type: 'message-after-result' } : { type: 'message' };
}

/** Types that the CLI also sends after the end of a turn. */
const FOLLOW_A_RESULT: ReadonlySet<string> = new Set([
  'command_lifecycle',
  'keep_alive',
  'prompt_suggestion',
  'rate_limit_event',
  'tool_use_summary',
  'transcript_mirror',
]);

/** System messages that belong to a turn; all others may arrive at any time. */
const PART_OF_A_TURN: ReadonlySet<unknown> = new Set([
  'api_retry',
  'compact_boundary',
  'local_command_output',
  'model_fallback',
  'model_refusal_fallback',
  'model_refusal_no_fallback',
  'permission_denied',
  'thinking_tokens',
]);

function classifySystem(message: Extract<Message, { type: 'system' }>): MachineEvent {
  const fields: Readonly<Record<string, unknown>> = { ...message };
  const { subtype, task_id: id, tasks } = fields;
  const ofTask = (type: 'task-opened' | 'task-closed'): MachineEvent =>
    typeof id === 'string' ? { type, id } : { type: 'message-after-result' };
  switch (subtype) {
    case 'init':
      return { type: 'turn-started' };
    case 'task_started':
      return ofTask('task-opened');
    // Not `task_updated`: 2.1.197 sends that before the result, and starts the turn about the task only after this one.
    case 'task_notification':
      return ofTask('task-closed');
    case 'background_tasks_changed':
      if (!Array.isArray(tasks)) return { type: 'message-after-result' };
      return { type: 'tasks-listed', ids: tasks.flatMap(taskId) };
    case 'session_state_changed':
      return { type: 'session-state', idle: fields.state === 'idle' };
    default:
      return PART_OF_A_TURN.has(subtype) ? { type: 'message' } : { type: 'message-after-result' };
  }
}

function taskId(task: unknown): string[] {
  if (typeof task !== 'object' || task === null) return [];
  const id = 'task_id' in task ? task.task_id : 'id' in task ? task.id : undefined;
  return typeof id === 'string' ? [id] : [];
}
