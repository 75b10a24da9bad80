import { type Warning, warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import { numberField, stringField } from './read.ts';

/** The longest wait that is granted on the CLI's word alone. */
const LONGEST_MS = 3_600_000;

/** How long the CLI says it will wait before it asks the API again; 0 for every other message. Never throws. */
export function retryDelayOf(message: Message): number {
  if (message.type !== 'system' || message.subtype !== 'api_retry') return 0;
  const delay: unknown = message.retry_delay_ms;
  return typeof delay === 'number' && delay > 0 ? Math.min(delay, LONGEST_MS) : 0;
}

/** What to say about a message that tells of a retry; nothing about any other. Never throws. */
export function retryWarning(message: Message): Warning | undefined {
  if (message.type !== 'system' || message.subtype !== 'api_retry') return undefined;
  const delayMs = retryDelayOf(message);
  const status = numberField(message, 'error_status') ?? null;
  const error = stringField(message, 'error') ?? 'unknown';
  const attempt = numberField(message, 'attempt') ?? null;
  const maxRetries = numberField(message, 'max_retries') ?? null;
  const what = status === null ? error : `${status} ${error}`;
  return warning('api-retry', `The API failed (${what}); the CLI asks again in ${Math.round(delayMs)} ms.`, {
    attempt,
    maxRetries,
    delayMs,
    status,
    error,
  });
}
