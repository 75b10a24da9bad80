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
  #items: { readonly item: I; readonly bytes: number }[] = [];
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
    const reader = this.#waiting.shift();
    if (reader) {
      reader({ value: item, done: false });
      return;
    }
    this.#items.push({ item, bytes });
    this.#held += bytes;
    while (this.#held > this.#maxBytes && this.#items.length - this.#head > 1) {
      this.#held -= this.#shift()?.bytes ?? 0;
      this.#dropped++;
    }
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
    const entry = this.#shift();
    if (entry) {
      this.#held -= entry.bytes;
      return Promise.resolve({ value: entry.item, done: false });
    }
    if (this.#over) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<I | Gap>> {
    this.#items = [];
    this.#head = 0;
    this.#dropped = 0;
    this.end();
    this.#onReturn(this);
    return { value: undefined, done: true };
  }

  #shift(): { readonly item: I; readonly bytes: number } | undefined {
    const entry = this.#items[this.#head];
    if (entry === undefined) return undefined;
    this.#head++;
    // Moving the rest down at every item would be quadratic.
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }
}
