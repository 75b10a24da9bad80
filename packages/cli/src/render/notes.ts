import type { Message } from 'coxswain';
import { duration } from './format.ts';
import { firstLine, harmless } from './measure.ts';
import type { Paint } from './paint.ts';

/** The line for a message of the CLI about itself, if people should read it. */
export function noteOf(message: Message, paint: Paint): string | undefined {
  if (message.type !== 'system') return undefined;
  switch (message.subtype) {
    case 'api_retry': {
      const why = message.error_status === null ? 'no answer' : `error ${message.error_status}`;
      const when = `retrying in ${duration(message.retry_delay_ms)} (${message.attempt} of ${message.max_retries})`;
      const kind = message.error === 'unknown' ? '' : `, ${message.error}`;
      return paint.yellow(`! API: ${why}${kind}; ${when}`);
    }
    case 'model_fallback':
      return paint.yellow(
        `! ${message.original_model} is ${message.trigger}; continuing with ${message.fallback_model}`,
      );
    case 'compact_boundary':
      return paint.dim('· the history before this point was summarised');
    case 'informational': {
      const isBad = message.level === 'warning' || message.level === 'error';
      const text = firstLine(harmless(message.content));
      return isBad ? paint.yellow(`! ${text}`) : paint.dim(`· ${text}`);
    }
    case 'task_started':
      return paint.dim(`· in the background: ${firstLine(harmless(message.description))}`);
    case 'task_notification':
      return paint.dim(`· background work ${message.status}: ${firstLine(harmless(message.summary))}`);
    default:
      return undefined;
  }
}
