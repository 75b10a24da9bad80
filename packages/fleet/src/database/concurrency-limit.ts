/**
 * Runs a limited number of calls at once; the others wait in order. A burst of calls then waits here and not for a connection, so that
 * a connection timeout always means that the database is down.
 */
export class ConcurrencyLimit {
  readonly #places: number;
  readonly #waiting: { readonly enter: () => void; readonly fail: (error: unknown) => void }[] = [];
  #inside = 0;

  constructor(places: number) {
    this.#places = places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#places) this.#inside += 1;
    else await new Promise<void>((enter, fail) => this.#waiting.push({ enter, fail }));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside -= 1;
      // The next call takes this place.
      else next.enter();
    }
  }

  /** Rejects all waiting calls, because they cannot succeed now. */
  rejectWaiting(error: unknown): void {
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }
}
