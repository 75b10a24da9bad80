import type { Conversation } from '../api.ts';

/** Whether the fields of a conversation contain every word of a text. Server and page share this rule. */
export function mentions(conversation: Conversation, text: string): boolean {
  const { title, key, file, model, cwd, sessionId } = conversation;
  const fields = [title, key, file, model, cwd, sessionId].join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => fields.includes(word));
}
