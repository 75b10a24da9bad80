import { contentText, fieldsOf, listIn, textIn } from '../../transcript/fields.ts';
import { isInterruptNote } from '../../transcript/shown-actions.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The status of a turn on disk after a line or message of its transcript: the kind of its end if nothing follows,
 * `unfinished` if something should follow, undefined if the line does not affect it. Transcripts have no results. Pure.
 */
export function statusAfter(line: Fields): string | undefined {
  if (line.isSidechain === true || line.isMeta === true || line.parent_tool_use_id != null) return undefined;
  const message = fieldsOf(line.message);
  switch (line.type) {
    case 'user':
      return afterUser(contentText(message.content));
    case 'assistant':
      return isApiError(line) ? apiErrorKind(line) : afterAnswer(message);
    case 'attachment':
      return ENDINGS.get(textIn(fieldsOf(line.attachment), 'type') ?? '');
    default:
      return undefined;
  }
}

/** Whether only a note of the CLI, and none of the messages, shows that a turn ended like this. */
export function isNotedEnd(kind: string): boolean {
  return [...ENDINGS.values()].includes(kind);
}

/** The CLI's notes about turns that it ended itself. */
const ENDINGS = new Map([['max_turns_reached', 'max-turns']]);

/** After a prompt, a tool result or a note of the CLI. Commands of the CLI itself get no answer. */
function afterUser(text: string): string {
  if (isInterruptNote(text)) return 'interrupted';
  return /^<(?:local-)?command-/.test(text.trim()) ? 'completed' : 'unfinished';
}

function afterAnswer(message: Fields): string | undefined {
  if (message.stop_reason === 'refusal') return 'refused';
  const kinds = listIn(message, 'content').map((block) => fieldsOf(block).type);
  if (kinds.includes('tool_use')) return 'unfinished';
  return kinds.includes('text') ? 'completed' : undefined;
}

/** A line of a transcript and a message have different fields for it. */
function isApiError(line: Fields): boolean {
  return line.isApiErrorMessage === true || line.is_api_error_message === true;
}

function apiErrorKind(line: Fields): string {
  return KINDS.get(textIn(line, 'error') ?? '') ?? 'api-error';
}

const KINDS = new Map([
  ['rate_limit', 'rate-limit'],
  ['authentication_failed', 'auth'],
]);
