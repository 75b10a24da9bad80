import type { Conversation } from './conversation.ts';

/** An id like the CLI gives its tasks. */
export function newTaskId(conversation: Conversation, prefix: string): string {
  return `${prefix}${conversation.world.newId().replaceAll('-', '').slice(0, 16)}`;
}
