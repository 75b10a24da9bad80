import { isJsonObject, type JsonObject, objectIn } from '../wire/kinds.ts';
import type { AssistantMessage, SystemCompactBoundary, UserMessage } from '../wire/messages.ts';
import { type Entry, given, textIn } from './entry.ts';

/** A message of a stored conversation, in the format of the wire. */
export type TranscriptMessage = UserMessage | AssistantMessage | SystemCompactBoundary;

/** Values for fields that the line of a message may lack. */
export interface Fallback {
  readonly sessionId: string;
  readonly parentToolUseId: string | null;
}

/** Converts an entry to a message; undefined if its line contains none. */
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
    : conversationMessage(object, { ...envelope, parent_tool_use_id: fallback.parentToolUseId });
  // Like every message of the CLI, its type is measured, not checked.
  return message as TranscriptMessage | undefined;
}

function conversationMessage(object: JsonObject, envelope: object): object | undefined {
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

/** Converts names to snake case, as on the wire: `preTokens` to `pre_tokens`. */
function snakeCased(metadata: unknown): object {
  const entries = Object.entries(isJsonObject(metadata) ? metadata : {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );
}
