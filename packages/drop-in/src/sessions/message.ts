import type { TranscriptEntry } from 'coxswain/transcripts';
import type { GetSessionMessagesOptions, SessionMessage } from '../declarations/sessions.ts';

/** The session and the subagent of a message. */
export interface MessagePlace {
  readonly sessionId: string;
  /** The tool call that started the subagent. */
  readonly toolUseId?: string | undefined;
  /** The subagent that started the subagent. */
  readonly parentId?: string | undefined;
}

/** True for messages of a user or the model. */
export function isSpoken({ type }: TranscriptEntry): boolean {
  return type === 'user' || type === 'assistant';
}

/** True for the entries that a program reads, without those that the CLI adds for the model. */
export function isShown(entry: TranscriptEntry, { includeSystemMessages }: GetSessionMessagesOptions): boolean {
  if (entry.isMeta === true || entry.teamName !== undefined) return false;
  return isSpoken(entry) || (entry.type === 'system' && includeSystemMessages === true);
}

/** The message of an entry, with the fields that the official SDK passes on. */
export function sessionMessage(entry: TranscriptEntry, where: MessagePlace): SessionMessage {
  const { sessionId, timestamp, message } = entry;
  const fields = {
    type: entry.type,
    uuid: entry.uuid,
    session_id: typeof sessionId === 'string' ? sessionId : where.sessionId,
    message,
    parent_tool_use_id: where.toolUseId ?? null,
    parent_agent_id: where.parentId ?? null,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...notesOf(entry),
  };
  // Callers select the three possible types.
  return fields as SessionMessage;
}

/** The CLI's notes about a message, without missing ones. */
function notesOf(entry: TranscriptEntry): object {
  const { isCompactSummary, toolDenialKind: kind, toolDenialUnanswered } = entry;
  const isMeta = entry.isMeta === true || isCompactSummary === true || entry.isVisibleInTranscriptOnly === true;
  const [call, ...others] = toolCallsAnswered(entry.message);
  const isDenied = typeof kind === 'string' && call !== undefined && others.length === 0;
  return {
    ...(isDenied ? { tool_result_meta: [{ id: call, non_execution_kind: kind }] } : {}),
    ...(toolDenialUnanswered === undefined ? {} : { toolDenialUnanswered }),
    ...(entry.interruptedByShutdown === true ? { interruptedByShutdown: true } : {}),
    ...(entry.isCompletedLocalCommand === true ? { isCompletedLocalCommand: true } : {}),
    ...(isCompactSummary === true ? { isCompactSummary } : {}),
    ...(isMeta ? { is_meta: true } : {}),
    ...(entry.origin == null ? {} : { origin: entry.origin }),
  };
}

/** The ids of the tool calls that a message has results for. */
function toolCallsAnswered(message: unknown): string[] {
  const content: unknown = typeof message === 'object' && message !== null && 'content' in message && message.content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) =>
    typeof block === 'object' && block !== null && 'tool_use_id' in block ? [String(block.tool_use_id)] : [],
  );
}
