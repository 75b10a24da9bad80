import { type Warning, warning } from '../warnings/warning.ts';
import type { Conversation } from './conversation.ts';

/** What the caller should know when a conversation that the CLI refused is taken up in another way. */
export function warningsAbout(before: Conversation, after: Conversation): Warning[] {
  const warnings: Warning[] = [];
  const [sessionId, earlier] = [after.id ?? null, before.id ?? null];
  if (before.onDisk === 'kept') {
    const message = 'The CLI died before it had written the conversation to the disk, so the next one begins it anew.';
    warnings.push(warning('conversation-lost', message, { sessionId: earlier }));
  }
  if (sessionId !== earlier) {
    const message = 'The CLI keeps the id of a conversation that holds nothing yet, so it goes on under a new one.';
    warnings.push(warning('session-id-changed', message, { sessionId, before: earlier }));
  }
  return warnings;
}
