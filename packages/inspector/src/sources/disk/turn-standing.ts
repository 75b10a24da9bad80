import { contentText, fieldsOf, listIn, textIn } from '../../transcript/fields.ts';
import { isInterruptNote } from '../../transcript/shown-actions.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * How a turn on disk stands after a line of its transcript, or after a message of it: the kind of its end if nothing follows,
 * `unfinished` if something should; undefined if the line says nothing about it. Transcripts have no results of turns. Pure.
 */
export function standingAfter(line: Fields): string | undefined {
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

/** Whether only a note of the CLI says that a turn ended like this, and none of its messages. */
export function isNotedEnd(kind: string): boolean {
  return [...ENDINGS.values()].includes(kind);
}

/** What the CLI notes when it ends a turn by itself. */
const ENDINGS = new Map([['max_turns_reached', 'max-turns']]);

/** A prompt, the result of a tool, or a note of the CLI. Commands of the CLI itself get no answer. */
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

/** A line of a transcript and a message call it differently. */
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
