import { LONGEST_TIMER_MS } from '../limits.ts';

/** Named timers with one owner: set again replaces, `clear()` ends them all. */
export class Timers<Name extends string> {
  /** Mostly nothing is ever timed. */
  #timers: Map<Name, NodeJS.Timeout> | undefined;

  set(name: Name, ms: number, run: () => void): void {
    this.clear(name);
    const timers = this.#timers ?? new Map<Name, NodeJS.Timeout>();
    this.#timers = timers;
    const timer = setTimeout(
      () => {
        timers.delete(name);
        run();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    timers.set(name, timer);
  }

  has(name: Name): boolean {
    return this.#timers?.has(name) ?? false;
  }

  clear(name?: Name): void {
    if (this.#timers === undefined) return;
    for (const [key, timer] of this.#timers) {
      if (name !== undefined && key !== name) continue;
      clearTimeout(timer);
      this.#timers.delete(key);
    }
  }

  /** Lets the host exit although timers are set. */
  unref(): void {
    for (const timer of this.#timers?.values() ?? []) timer.unref();
  }
}
