import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';

/** Calls a function at a time that can only become earlier. */
export class Deadline {
  readonly #reached: () => void;
  #at = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(reached: () => void) {
    this.#reached = reached;
  }

  /** Sets the deadline to `ms` from now; returns false if an earlier one is set. */
  within(ms: number): boolean {
    const at = performance.now() + ms;
    if (at >= this.#at) return false;
    this.#at = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#reached, Math.min(ms, LONGEST_TIMER_MS));
    return true;
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
