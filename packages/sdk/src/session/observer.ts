/** Tells an observer that it fell behind: this many items were lost before the next one. */
export interface Gap {
  readonly kind: 'gap';
  /** Among events, which are told apart by it. */
  readonly type: 'gap';
  readonly dropped: number;
}

/** Watches a session without ever holding it up: keeps the newest items up to a weight, and says what it lost. */
export class Observer<I> implements AsyncIterableIterator<I | Gap> {
  readonly #maxBytes: number;
  readonly #onReturn: (observer: Observer<I>) => void;
  #items: (I | undefined)[] = [];
  /** The weights of the items, at the same places. */
  #bytes: number[] = [];
  #head = 0;
  #held = 0;
  #dropped = 0;
  #over = false;
  #waiting: ((step: IteratorResult<I | Gap>) => void)[] = [];

  constructor(maxBytes: number, onReturn: (observer: Observer<I>) => void = () => {}) {
    this.#maxBytes = maxBytes;
    this.#onReturn = onReturn;
  }

  push(item: I, bytes: number): void {
    if (this.#over) return;
    if (this.#waiting.length > 0) {
      this.#waiting.shift()?.({ value: item, done: false });
      return;
    }
    this.#items.push(item);
    this.#bytes.push(bytes);
    this.#held += bytes;
    while (this.#held > this.#maxBytes && this.#items.length - this.#head > 1) {
      this.#shift();
      this.#dropped++;
    }
  }

  /** Items that were lost before it was there. */
  lose(count: number): void {
    this.#dropped += count;
  }

  /** Nothing more comes; what is held can still be read. */
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
    const item = this.#shift();
    if (item !== undefined) return Promise.resolve({ value: item, done: false });
    if (this.#over) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<I | Gap>> {
    this.#items = [];
    this.#bytes = [];
    this.#head = 0;
    this.#dropped = 0;
    this.end();
    this.#onReturn(this);
    return { value: undefined, done: true };
  }

  #shift(): I | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#held -= this.#bytes[this.#head] ?? 0;
    this.#items[this.#head] = undefined;
    this.#head++;
    // Moving the rest down at every item would be quadratic.
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#bytes = this.#bytes.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
