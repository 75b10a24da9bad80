/** Lets only some starts run at a time, first come, first served: many at once would slow each other into timeouts. */
export class StartGate {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is this start's turn, with the function that ends it. */
  async enter(limit: number): Promise<() => void> {
    if (this.#running >= limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    };
  }
}
