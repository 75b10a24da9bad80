import { oneLine } from './cut.ts';
import { fieldsOf, listIn, numberIn, textIn } from './fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A system message on one line, for people; undefined for messages that are only for programs. */
export function systemLine(message: Fields, redact: (text: string) => string): string | undefined {
  const subtype = textIn(message, 'subtype') ?? 'system';
  const line = LINES[subtype];
  if (line === null) return undefined;
  const text = line === undefined ? genericLine(subtype, message) : line(message);
  return text === undefined ? undefined : oneLine(redact(text), 500);
}

/** Whether a message starts the task of a subagent that its turn waits for. Such a task is not background work. */
export function isAwaitedTask(message: Fields): boolean {
  return message.subtype === 'task_started' && message.is_backgrounded === false;
}

/** `null`: not shown, because the effect is shown elsewhere, or because the message arrives many times a second. */
const LINES: Readonly<Record<string, ((message: Fields) => string | undefined) | null>> = {
  init: (m) => {
    const version = textIn(m, 'claude_code_version');
    return `Claude Code ${version ?? ''} in ${textIn(m, 'cwd') ?? '?'} · ${listIn(m, 'tools').length} tools`;
  },
  status: (m) => {
    const status = textIn(m, 'status');
    return status === null || status === 'requesting' ? undefined : `${status} …`;
  },
  api_retry: (m) => {
    const seconds = ((numberIn(m, 'retry_delay_ms') ?? 0) / 1000).toFixed(1);
    const why = numberIn(m, 'error_status') ?? textIn(m, 'error') ?? 'no response';
    return `The API failed (${why}): attempt ${numberIn(m, 'attempt') ?? '?'} of ${numberIn(m, 'max_retries') ?? '?'} in ${seconds} s`;
  },
  model_fallback: (m) =>
    `${textIn(m, 'fallback_model') ?? 'Another model'} answers instead of ${textIn(m, 'original_model') ?? '?'}`,
  compact_boundary: (m) => {
    const { pre_tokens: before, post_tokens: after } = fieldsOf(m.compact_metadata);
    const sizes =
      typeof before === 'number' ? `: ${before}${typeof after === 'number' ? ` → ${after}` : ''} tokens` : '';
    return `The conversation was compacted${sizes}`;
  },
  permission_denied: (m) => `${textIn(m, 'tool_name') ?? 'A tool'} was denied: ${textIn(m, 'message') ?? ''}`,
  informational: (m) => textIn(m, 'content') ?? undefined,
  notification: (m) => textIn(m, 'text') ?? undefined,
  local_command_output: (m) => textIn(m, 'content') ?? undefined,
  hook_response: (m) => {
    const outcome = textIn(m, 'outcome');
    return outcome === 'success' ? undefined : `The hook ${textIn(m, 'hook_name') ?? '?'} ended: ${outcome ?? '?'}`;
  },
  session_title_changed: (m) => `Title: ${textIn(m, 'title') ?? ''}`,
  task_started: (m) => `Background task: ${textIn(m, 'description') ?? textIn(m, 'task_id') ?? ''}`,
  task_notification: (m) => `Task ${textIn(m, 'status') ?? 'ended'}: ${textIn(m, 'summary') ?? ''}`,
  ...Object.fromEntries(
    [
      ...['thinking_tokens', 'hook_started', 'hook_progress', 'control_request_progress', 'session_state_changed'],
      ...['session_metadata', 'commands_changed', 'ui_invalidate', 'task_progress', 'task_updated', 'task_summary'],
      ...['background_tasks_changed', 'post_turn_summary', 'elicitation_complete'],
    ].map((subtype) => [subtype, null]),
  ),
};

function genericLine(subtype: string, message: Fields): string {
  const text = textIn(message, 'content') ?? textIn(message, 'message') ?? textIn(message, 'error') ?? '';
  return text === '' ? subtype : `${subtype}: ${text}`;
}
