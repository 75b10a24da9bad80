import { asJson, type JsonObject, type JsonValue } from '../../../json.ts';
import { syntheticApiMessage } from '../../../messages/synthetic.ts';
import { messageUsage } from '../../../messages/usage.ts';
import type { Conversation } from '../conversation.ts';
import { type ApiMessage, type QueuedPrompt, type Turn, uuidsOf } from '../turn.ts';

/** One content block of an assistant message; the CLI sends each block as a separate message. */
export function assistantFrame(
  conversation: Conversation,
  turn: Turn,
  message: ApiMessage,
  block: JsonObject,
  extra: JsonObject = {},
): JsonObject {
  const uuids = turn.announced ? [] : uuidsOf(turn);
  return {
    type: 'assistant',
    message: {
      ...messageHead(conversation, message, [block]),
      context_management: null,
    },
    ...turn.speaker.fields,
    session_id: conversation.sessionId,
    uuid: conversation.world.newId(),
    timestamp: conversation.timestamp(),
    request_id: `req_scripted_${Number(message.number)}`,
    ...extra,
    ...(uuids.length > 0 && { user_message_uuid: uuids.at(-1), user_message_uuids: uuids }),
  };
}

/** A message that the CLI makes up instead of the model. */
export function syntheticFrame(conversation: Conversation, turn: Turn, text: string, extra: JsonObject): JsonObject {
  return {
    type: 'assistant',
    message: asJson(syntheticApiMessage(conversation.world.newId(), text)),
    ...turn.speaker.fields,
    session_id: conversation.sessionId,
    uuid: conversation.world.newId(),
    timestamp: conversation.timestamp(),
    ...extra,
  };
}

/** A raw event of the API's stream. */
export function streamEvent(
  conversation: Conversation,
  message: ApiMessage,
  event: JsonObject,
  extra: JsonObject = {},
): JsonObject {
  return {
    type: 'stream_event',
    event,
    session_id: conversation.sessionId,
    parent_tool_use_id: null,
    uuid: conversation.world.newId(),
    api_message_id: message.id,
    ...extra,
  };
}

export function messageStart(conversation: Conversation, message: ApiMessage): JsonObject {
  return { type: 'message_start', message: messageHead(conversation, message, []) };
}

/** A user message: a tool's result, or a text the CLI adds to the conversation. */
export function userFrame(
  conversation: Conversation,
  turn: Turn,
  content: JsonValue,
  extra: JsonObject = {},
): JsonObject {
  return {
    type: 'user',
    message: { role: 'user', content },
    ...turn.speaker.fields,
    session_id: conversation.sessionId,
    uuid: conversation.world.newId(),
    timestamp: conversation.timestamp(),
    ...extra,
  };
}

/** A prompt of the user, echoed. */
export function replayFrame(conversation: Conversation, prompt: QueuedPrompt, content: JsonValue): JsonObject {
  return {
    type: 'user',
    message: { role: 'user', content },
    session_id: conversation.sessionId,
    parent_tool_use_id: null,
    uuid: prompt.uuid ?? conversation.world.newId(),
    timestamp: prompt.timestamp,
    isReplay: true,
  };
}

/** How a tool call went, beside what the model receives. */
export function toolResultMeta(toolUseId: string, meta: JsonObject): JsonObject {
  return { tool_result_meta: [{ id: toolUseId, ...meta }] };
}

function messageHead(conversation: Conversation, message: ApiMessage, content: readonly JsonObject[]): JsonObject {
  return {
    id: message.id,
    type: 'message',
    role: 'assistant',
    model: conversation.model,
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: asJson(messageUsage(message.inputTokens)),
  };
}
