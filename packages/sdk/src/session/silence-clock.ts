import { retryDelayOf } from '../messages/api-failure.ts';
import { Timers } from '../timing/timers.ts';
import type { Message } from '../wire/messages.ts';

/** The clock of a turn's `idleTimeoutMs`: starts again with every frame, and stands still while a callback runs. */
export class SilenceClock {
  readonly #heldUpWithin: (ms: number) => boolean;
  readonly #timer = new Timers<'silence'>();
  #paused = false;

  /** `heldUpWithin`: the pipe stood still for a slow reader, so the CLI's silence is not its own. */
  constructor(heldUpWithin: (ms: number) => boolean) {
    this.#heldUpWithin = heldUpWithin;
  }

  /** Allows for the time for which the CLI itself waits for the API. */
  start(ms: number, message: Message | undefined, onSilence: () => void): void {
    if (this.#paused) return;
    const retry = message ? retryDelayOf(message) : 0;
    this.#timer.set('silence', ms + retry, () => {
      if (this.#heldUpWithin(ms)) this.start(ms, undefined, onSilence);
      else onSilence();
    });
  }

  pause(paused: boolean): void {
    this.#paused = paused;
    if (paused) this.#timer.clear();
  }

  stop(): void {
    this.#timer.clear();
  }
}
