/**
 * Lets a number of pieces of work run at once; the others wait in line, in order. A burst of calls then waits for its turn and not
 * for a connection, so that only a database that is away is an error.
 */
export class Line {
  readonly #places: number;
  readonly #waiting: { readonly enter: () => void; readonly fail: (error: unknown) => void }[] = [];
  #inside = 0;

  constructor(places: number) {
    this.#places = places;
  }

  async through<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#places) this.#inside += 1;
    else await new Promise<void>((enter, fail) => this.#waiting.push({ enter, fail }));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside -= 1;
      // The place is passed on.
      else next.enter();
    }
  }

  /** Everything that waits fails, because the work cannot succeed now. */
  fail(error: unknown): void {
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }
}
