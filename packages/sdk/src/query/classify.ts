import type { Message } from '../wire/messages.ts';
import type { StreamEvent } from './stream-machine.ts';

const MESSAGE: StreamEvent = { type: 'message' };
const AFTER_RESULT: StreamEvent = { type: 'message-after-result' };
const TURN_STARTED: StreamEvent = { type: 'turn-started' };

/** What a message means for the end of the run. Any of its fields may be missing or wrong. */
export function classify(message: Message): StreamEvent {
  if (message.type === 'system') return classifySystem(message);
  if (message.type === 'result') return { type: 'result', failed: message.is_error === true };
  return FOLLOW_A_RESULT.has(message.type) ? AFTER_RESULT : MESSAGE;
}

/** Types that the CLI sends after the end of a turn, too. */
const FOLLOW_A_RESULT: ReadonlySet<string> = new Set([
  'command_lifecycle',
  'keep_alive',
  'prompt_suggestion',
  'rate_limit_event',
  'tool_use_summary',
  'transcript_mirror',
]);

/** System messages that belong to a turn; all others may come at any time. */
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

function classifySystem(message: Extract<Message, { type: 'system' }>): StreamEvent {
  const fields: Readonly<Record<string, unknown>> = { ...message };
  switch (fields.subtype) {
    case 'init':
      return TURN_STARTED;
    case 'task_started':
      return typeof fields.task_id === 'string' ? { type: 'task-opened', id: fields.task_id } : AFTER_RESULT;
    // Not `task_updated`: 2.1.197 sends that before the result, and starts the turn about the task only after this one.
    case 'task_notification':
      return typeof fields.task_id === 'string' ? { type: 'task-closed', id: fields.task_id } : AFTER_RESULT;
    case 'background_tasks_changed':
      return Array.isArray(fields.tasks) ? { type: 'tasks-listed', ids: fields.tasks.flatMap(taskId) } : AFTER_RESULT;
    case 'session_state_changed':
      return { type: 'session-state', idle: fields.state === 'idle' };
    default:
      return PART_OF_A_TURN.has(fields.subtype) ? MESSAGE : AFTER_RESULT;
  }
}

function taskId(task: unknown): string[] {
  if (typeof task !== 'object' || task === null) return [];
  const id = 'task_id' in task ? task.task_id : 'id' in task ? task.id : undefined;
  return typeof id === 'string' ? [id] : [];
}
