import { Queue } from '../stream/queue.ts';

/** An observer fell behind: this many items were lost before the next one. */
export interface Gap {
  readonly kind: 'gap';
  /** Distinguishes a gap from an event. */
  readonly type: 'gap';
  readonly dropped: number;
}

/** Watches a session without holding it up: keeps the newest items up to `maxBytes`, and tells how many were lost. */
export class Observer<I> implements AsyncIterableIterator<I | Gap> {
  readonly #queue: Queue<I>;
  readonly #copy: (item: I) => I;
  readonly #onReturn: (observer: Observer<I>) => void;
  #dropped = 0;
  #over = false;
  #waiting: ((step: IteratorResult<I | Gap>) => void)[] = [];

  /** `copy` makes what the reader gets: only what is read costs a copy. */
  constructor(
    maxBytes: number,
    onReturn: (observer: Observer<I>) => void = () => {},
    copy: (item: I) => I = (item) => item,
  ) {
    this.#queue = new Queue(maxBytes);
    this.#copy = copy;
    this.#onReturn = onReturn;
  }

  push(item: I, bytes: number): void {
    if (this.#over) return;
    const reader = this.#waiting.shift();
    if (reader) reader({ value: this.#copy(item), done: false });
    else this.#dropped += this.#queue.push(item, bytes);
  }

  /** Nothing more comes; items that are held can still be read. */
  end(): void {
    this.#over = true;
    for (const reader of this.#waiting.splice(0)) reader({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<I | Gap>> {
    if (this.#dropped > 0) {
      const gap: Gap = { kind: 'gap', type: 'gap', dropped: this.#dropped };
      this.#dropped = 0;
      return Promise.resolve({ value: gap, done: false });
    }
    const item = this.#queue.shift();
    if (item !== undefined) return Promise.resolve({ value: this.#copy(item), done: false });
    if (this.#over) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<I | Gap>> {
    this.#queue.clear();
    this.#dropped = 0;
    this.end();
    this.#onReturn(this);
    return { value: undefined, done: true };
  }
}
