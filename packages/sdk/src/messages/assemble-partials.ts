import { isJsonObject } from '../wire/kinds.ts';
import type { AssistantMessage, Message, StreamEventMessage } from '../wire/messages.ts';
import { Draft } from './draft.ts';
import { stringField } from './fields.ts';

/** A message of a stream in which streamed answers are assembled. */
export type AssembledMessage = Exclude<Message, AssistantMessage> | AssembledAssistantMessage;

/** An answer as far as it has been streamed, or the whole answer. */
export interface AssembledAssistantMessage extends AssistantMessage {
  /** False for a whole answer. An answer that was cut off stays partial. */
  readonly is_partial: boolean;
}

/**
 * Assembles streamed answers: yields the answer so far for each piece, with `is_partial: true`, and the whole answer once
 * all of its content blocks are complete, with `is_partial: false`. An answer is identified by `parent_tool_use_id` and
 * `message.id`. Other messages, and stream events that belong to no answer, pass through.
 */
export async function* assemblePartials(
  stream: AsyncIterable<Message>,
): AsyncGenerator<AssembledMessage, void, undefined> {
  // The main conversation and each subagent stream one answer at a time.
  const drafts = new Map<string, Draft>();
  for await (const message of stream) {
    if (message?.type === 'assistant') {
      yield takeAssistant(message, drafts);
    } else if (message?.type === 'stream_event') {
      const shown = takeEvent(message, drafts);
      if (shown !== undefined) yield shown;
    } else {
      yield message;
    }
  }
}

function takeAssistant(message: AssistantMessage, drafts: ReadonlyMap<string, Draft>): AssembledAssistantMessage {
  const draft = drafts.get(parentOf(message));
  if (draft !== undefined && draft.id === stringField(message.message, 'id')) return draft.take(message);
  return { ...message, is_partial: message.aborted === true };
}

/** Undefined for an event that changes nothing a reader could see. */
function takeEvent(message: StreamEventMessage, drafts: Map<string, Draft>): AssembledMessage | undefined {
  const { event } = message;
  const parent = parentOf(message);
  if (event?.type === 'message_start' && isJsonObject(event.message)) {
    const draft = new Draft(message, event.message);
    drafts.set(parent, draft);
    return draft.snapshot();
  }
  const draft = drafts.get(parent);
  return draft === undefined ? message : draft.follow(message);
}

function parentOf(message: AssistantMessage | StreamEventMessage): string {
  return stringField(message, 'parent_tool_use_id') ?? '';
}
