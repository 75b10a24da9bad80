import { LONGEST_TIMER_MS } from '../limits.ts';
import { retryDelayOf } from '../messages/api-failure.ts';
import type { Message } from '../wire/messages.ts';

/** The clock of `idleTimeoutMs`: runs while the CLI is waited for, and stands still while the CLI waits for the API. */
export class IdleClock {
  readonly #ms: number | undefined;
  readonly #onSilence: (ms: number) => void;
  #retryMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number | undefined, onSilence: (ms: number) => void) {
    this.#ms = ms;
    this.#onSilence = onSilence;
  }

  heard(message: Message): void {
    if (this.#ms !== undefined) this.#retryMs = retryDelayOf(message);
  }

  start(): void {
    const ms = this.#ms;
    if (ms === undefined) return;
    this.stop();
    this.#timer = setTimeout(() => this.#onSilence(ms), Math.min(ms + this.#retryMs, LONGEST_TIMER_MS));
    this.#retryMs = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
