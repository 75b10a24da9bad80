/** The usual response time of the database: the shortest of the last ones, because a stalled server only makes them longer. */
export class RoundTrips {
  readonly #last: number[] = [];

  /** Records the time of one response. */
  answered(ms: number): void {
    this.#last.push(ms);
    if (this.#last.length > SAMPLES) this.#last.shift();
  }

  /** If this many round trips take longer than this, the server has stalled. */
  slowMs(trips: number): number {
    const usual = this.#last.length === 0 ? 0 : Math.min(...this.#last);
    return STALL_MS + 2 * trips * usual;
  }
}

/** Few, so that a network that becomes slower counts as slow after a few responses. */
const SAMPLES = 16;

/** Apart from the network, statements of the fleet take milliseconds. */
const STALL_MS = 1_000;
