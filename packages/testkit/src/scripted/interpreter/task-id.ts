import type { Conversation } from './conversation.ts';

/** An id in the format of the CLI's task ids. */
export function newTaskId(conversation: Conversation, prefix: string): string {
  return `${prefix}${conversation.world.newId().replaceAll('-', '').slice(0, 16)}`;
}
