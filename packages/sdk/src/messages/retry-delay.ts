import type { Message } from '../wire/messages.ts';

/** The longest wait that is granted on the CLI's word alone. */
const LONGEST_MS = 3_600_000;

/** How long the CLI says it will wait before it asks the API again; 0 for every other message. Never throws. */
export function retryDelayOf(message: Message): number {
  if (message.type !== 'system' || message.subtype !== 'api_retry') return 0;
  const delay: unknown = message.retry_delay_ms;
  return typeof delay === 'number' && delay > 0 ? Math.min(delay, LONGEST_MS) : 0;
}
