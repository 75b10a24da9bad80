/** What an observer reads. It holds its session: one that is watched is not abandoned, though nobody else holds it. */
export class Watch<I> implements AsyncIterableIterator<I> {
  readonly holds: object;
  readonly #observer: AsyncIterableIterator<I>;

  constructor(observer: AsyncIterableIterator<I>, holds: object) {
    this.#observer = observer;
    this.holds = holds;
  }

  next(): Promise<IteratorResult<I>> {
    return this.#observer.next();
  }

  async return(): Promise<IteratorResult<I>> {
    await this.#observer.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
