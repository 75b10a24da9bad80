import type { Conversation } from '../api.ts';

/** Whether the facts of a conversation contain every word of a text. The server and the page ask this alike. */
export function mentions(conversation: Conversation, text: string): boolean {
  const { title, key, file, model, cwd, sessionId } = conversation;
  const facts = [title, key, file, model, cwd, sessionId].join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => facts.includes(word));
}
