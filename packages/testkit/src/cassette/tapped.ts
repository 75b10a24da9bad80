/** Observes the read bytes. */
export interface Tap {
  /** Called for each chunk. If it throws, reading ends. */
  chunk(bytes: Uint8Array): void;
  /** Called when reading has ended: the output is complete, or the reader stopped. */
  end(): void;
}

/** Passes on the bytes at the same pace, observed by a tap; yields nothing unless `begun` resolves to true. */
export function tapped(
  source: AsyncIterable<Uint8Array>,
  tap: Tap,
  begun: Promise<boolean>,
): AsyncIterableIterator<Uint8Array, undefined> {
  const reading = source[Symbol.asyncIterator]();
  const done: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      try {
        const step = (await begun) ? await reading.next() : done;
        if (!step.done) {
          tap.chunk(step.value);
          return step;
        }
      } catch (error) {
        tap.end();
        throw error;
      }
      tap.end();
      return done;
    },
    async return() {
      tap.end();
      await reading.return?.();
      return done;
    },
  };
}
