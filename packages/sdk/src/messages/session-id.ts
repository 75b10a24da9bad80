import type { Message } from '../wire/messages.ts';
import { stringField } from './read.ts';

/** The session a message belongs to. It may change on the way: after `/clear` a new one begins. */
export function sessionIdOf(message: Message): string | undefined {
  return stringField(message, 'session_id') || undefined;
}

/** What the CLI says when it does not know the conversation that it should resume. */
export const NO_CONVERSATION = 'No conversation found';
