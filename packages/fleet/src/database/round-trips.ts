/** How long the database usually takes to answer: the shortest of the last answers, which no server that stood still has delayed. */
export class RoundTrips {
  readonly #last: number[] = [];

  /** One answer came after this time. */
  answered(ms: number): void {
    this.#last.push(ms);
    if (this.#last.length > KEPT) this.#last.shift();
  }

  /** What takes so many round trips, and longer than this, shows that the server stood still. */
  slowMs(trips: number): number {
    const usual = this.#last.length === 0 ? 0 : Math.min(...this.#last);
    return STALL_MS + 2 * trips * usual;
  }
}

/** Few, so that a network that becomes slower is known as slow after some answers. */
const KEPT = 16;

/** Statements of the fleet take milliseconds, apart from the way to the database. */
const STALL_MS = 1_000;
