import { isJsonObject, type JsonObject, objectIn } from '../wire/kinds.ts';
import type { AssistantMessage, SystemCompactBoundary, UserMessage } from '../wire/messages.ts';
import { type Entry, given, textIn } from './entry.ts';

/** A message of a conversation on disk, in the shape it has on the wire. */
export type TranscriptMessage = UserMessage | AssistantMessage | SystemCompactBoundary;

/** What the line of a message may not say. */
export interface Fallback {
  readonly sessionId: string;
  readonly parentToolUseId: string | null;
}

/** The message of an entry; undefined if its line holds none. */
export function messageOf(entry: Entry, fallback: Fallback): TranscriptMessage | undefined {
  const object = objectIn(entry.line);
  if (object === undefined) return undefined;
  const envelope = {
    uuid: entry.uuid,
    session_id: textIn(object, 'sessionId') ?? fallback.sessionId,
    ...given({ timestamp: textIn(object, 'timestamp') }),
  };
  const message = entry.compaction
    ? { type: 'system', subtype: 'compact_boundary', compact_metadata: snakeCased(object.compactMetadata), ...envelope }
    : spoken(object, { ...envelope, parent_tool_use_id: fallback.parentToolUseId });
  // Like every message of the CLI, it is typed as measured, not checked.
  return message as TranscriptMessage | undefined;
}

function spoken(object: JsonObject, envelope: object): object | undefined {
  const { type, message } = object;
  if (!isJsonObject(message)) return undefined;
  const ofUser = {
    tool_use_result: object.toolUseResult,
    isSynthetic: object.isCompactSummary === true || undefined,
    origin: object.origin,
  };
  const ofAssistant = {
    error: textIn(object, 'error'),
    is_api_error_message: object.isApiErrorMessage === true || undefined,
    request_id: textIn(object, 'requestId'),
  };
  return { type, message, ...envelope, ...given(type === 'assistant' ? ofAssistant : ofUser) };
}

/** The wire has the same names in snake case: `pre_tokens` for `preTokens`. */
function snakeCased(metadata: unknown): object {
  const entries = Object.entries(isJsonObject(metadata) ? metadata : {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );
}
