import { Timers } from '../timing/timers.ts';

/**
 * Bounds the wait for prompts that the CLI may have settled without a word: releases before 2.1.206 make one of several that
 * wait, and when a hook refuses it, only the first is heard of.
 */
export class LeftoverClock {
  readonly #ms: number;
  readonly #giveUp: () => void;
  readonly #timer = new Timers<'leftovers'>();
  #paused = false;

  constructor(ms: number, giveUp: () => void) {
    this.#ms = ms;
    this.#giveUp = giveUp;
  }

  /** A frame has come; `waits` when there are such prompts, and the CLI is in no run. */
  heard(waits: boolean): void {
    this.#timer.clear();
    if (!waits) return;
    this.#timer.set('leftovers', this.#ms, () => {
      // While a callback runs, the CLI waits for it.
      if (this.#paused) this.heard(true);
      else this.#giveUp();
    });
  }

  pause(paused: boolean): void {
    this.#paused = paused;
  }
}
