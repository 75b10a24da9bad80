import type { AssistantMessage, Message, StreamEventMessage } from '../wire/messages.ts';
import { copyRaw } from '../wire/raw.ts';
import { Draft } from './draft.ts';
import { isObject, stringField } from './read.ts';

/** A message of a stream in which the pieces of an answer are put together. */
export type AssembledMessage = Exclude<Message, AssistantMessage> | AssembledAssistantMessage;

/** All that has come of an answer so far, or the whole of it. */
export interface AssembledAssistantMessage extends AssistantMessage {
  /** False for a whole answer. An answer that was cut off stays partial. */
  readonly is_partial: boolean;
}

/**
 * Puts the pieces of streamed answers together: for each piece the answer so far, with `is_partial: true`, and once all of
 * its content blocks are there the answer as a whole, with `is_partial: false`. An answer is known by `parent_tool_use_id`
 * and `message.id`. Other messages, and stream events that belong to no answer, pass through.
 */
export async function* assemblePartials(
  stream: AsyncIterable<Message>,
): AsyncGenerator<AssembledMessage, void, undefined> {
  const drafts = new Map<string, Draft>();
  for await (const message of stream) {
    const shown = assembled(message, drafts);
    if (shown !== NOTHING) yield shown;
  }
}

/** For a piece that changes nothing one could see. */
const NOTHING = Symbol('nothing to show');

function assembled(message: Message, drafts: Map<string, Draft>): AssembledMessage | typeof NOTHING {
  if (message?.type === 'assistant') return assistant(message, drafts);
  return message?.type === 'stream_event' ? streamEvent(message, drafts) : message;
}

function assistant(message: AssistantMessage, drafts: Map<string, Draft>): AssembledAssistantMessage {
  const draft = drafts.get(parentOf(message));
  if (draft !== undefined && draft.id === stringField(message.message, 'id')) return draft.take(message);
  const whole = { ...message, is_partial: message.aborted === true };
  copyRaw(message, whole);
  return whole;
}

function streamEvent(message: StreamEventMessage, drafts: Map<string, Draft>): AssembledMessage | typeof NOTHING {
  const { event } = message;
  const parent = parentOf(message);
  if (event?.type === 'message_start' && isObject(event.message)) {
    const begun = new Draft(message, event.message);
    drafts.set(parent, begun);
    return begun.snapshot(message);
  }
  const draft = drafts.get(parent);
  const change = draft?.follow(message) ?? 'foreign';
  if (draft === undefined || change === 'foreign') return message;
  return change === 'seen' ? draft.snapshot(message) : NOTHING;
}

/** The main conversation and each subagent stream one answer at a time. */
function parentOf(message: AssistantMessage | StreamEventMessage): string {
  return stringField(message, 'parent_tool_use_id') ?? '';
}
