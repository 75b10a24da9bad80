import type { Conversation } from '../conversation/conversation.ts';
import { within } from '../timing/timers.ts';

/** Whether a CLI has exited, or will have as soon as the exit of one that cannot be written to is noticed. */
export async function diesNow({ connection, limits }: Conversation): Promise<boolean> {
  if (!connection.over) await within(2 * limits.exitReadMs, connection.closed);
  return connection.over;
}
