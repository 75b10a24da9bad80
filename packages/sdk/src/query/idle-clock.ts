import type { Message } from '../wire/messages.ts';

/** The longest wait that is granted on the CLI's word alone. */
const LONGEST_RETRY_MS = 3_600_000;

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
    const retries = message.type === 'system' && message.subtype === 'api_retry';
    this.#retryMs = retries ? Math.min(Math.max(0, Number(message.retry_delay_ms) || 0), LONGEST_RETRY_MS) : 0;
  }

  start(): void {
    const ms = this.#ms;
    if (ms === undefined) return;
    this.stop();
    this.#timer = setTimeout(() => this.#onSilence(ms), ms + this.#retryMs);
    this.#retryMs = 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
