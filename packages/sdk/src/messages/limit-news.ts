import type { Message, RateLimitEventMessage, ResultMessage } from '../wire/messages.ts';

/**
 * What one process of the CLI said about limits, tied to the results that follow: a result does not say when its limit ends,
 * and the event that does comes only when something has changed, so once for many turns that are turned away.
 */
export class LimitNews {
  #last: RateLimitEventMessage | undefined;

  /** Takes in the messages of the process, in order; most are none of its business. */
  note(message: Message): void {
    if (message.type === 'rate_limit_event') this.#last = message;
    else if (message.type === 'result' && this.#last) KNOWN.set(message, this.#last);
  }
}

/** The last event about a limit before this result; none for a result that did not come from a CLI of this process. */
export function limitBefore(result: ResultMessage): RateLimitEventMessage | undefined {
  return KNOWN.get(result);
}

const KNOWN = new WeakMap<ResultMessage, RateLimitEventMessage>();
