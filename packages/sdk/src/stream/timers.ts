/** Named timers with one owner: set again replaces, `clear()` ends them all. */
export class Timers<Name extends string> {
  readonly #timers = new Map<Name, NodeJS.Timeout>();

  set(name: Name, ms: number, run: () => void): void {
    this.clear(name);
    this.#timers.set(
      name,
      setTimeout(() => {
        this.#timers.delete(name);
        run();
      }, ms),
    );
  }

  has(name: Name): boolean {
    return this.#timers.has(name);
  }

  clear(name?: Name): void {
    for (const [key, timer] of this.#timers) {
      if (name !== undefined && key !== name) continue;
      clearTimeout(timer);
      this.#timers.delete(key);
    }
  }

  /** Lets the host exit although timers are set. */
  unref(): void {
    for (const timer of this.#timers.values()) timer.unref();
  }
}
