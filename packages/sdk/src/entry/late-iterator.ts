import type { Late } from './late.ts';

/** Iterates over what comes late; once it is there each call is its own. */
export class LateIterator<I> implements AsyncIterableIterator<I> {
  readonly #late: Late<AsyncIterator<I>>;

  constructor(late: Late<AsyncIterator<I>>) {
    this.#late = late;
  }

  next(): Promise<IteratorResult<I>> {
    return this.#late.ask((iterator) => iterator.next());
  }

  return(): Promise<IteratorResult<I>> {
    return this.#late.ask(async (iterator) => (await iterator.return?.()) ?? { value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
