import type {
  AssistantMessage,
  Message,
  RateLimitEventMessage,
  ResultMessage,
  StreamEventMessage,
  SystemInit,
  SystemMessage,
  UserMessage,
} from '../wire/messages.ts';
import { field } from './read.ts';

/** True for what the model said. */
export function isAssistant(message: Message): message is AssistantMessage {
  return field(message, 'type') === 'assistant';
}

/** True for what stands in the conversation as the user's: tool results, replayed prompts, notes of the CLI. */
export function isUser(message: Message): message is UserMessage {
  return field(message, 'type') === 'user';
}

/** True for a message of the CLI about itself. */
export function isSystem(message: Message): message is SystemMessage {
  return field(message, 'type') === 'system';
}

/** True for the message that begins a turn. */
export function isInit(message: Message): message is SystemInit {
  return isSystem(message) && field(message, 'subtype') === 'init';
}

/** True for the message that ends a turn. */
export function isResult(message: Message): message is ResultMessage {
  return field(message, 'type') === 'result';
}

/** True for an event of the API's own stream. */
export function isStreamEvent(message: Message): message is StreamEventMessage {
  return field(message, 'type') === 'stream_event';
}

/** True for news about the account's rate limits. */
export function isRateLimitEvent(message: Message): message is RateLimitEventMessage {
  return field(message, 'type') === 'rate_limit_event';
}
