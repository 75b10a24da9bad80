import { Queue } from './queue.ts';

/** A reader fell behind: this many items were lost before the next one. */
export interface Gap {
  readonly kind: 'gap';
  /** Distinguishes a gap from an event. */
  readonly type: 'gap';
  readonly dropped: number;
}

/** Reads items without holding up their source: keeps the newest ones up to `maxBytes`, and reports how many were lost. */
export class NewestItems<H, I = H> implements AsyncIterableIterator<I | Gap> {
  readonly #queue: Queue<H>;
  readonly #show: (held: H) => I;
  readonly #onReturn: () => void;
  #dropped = 0;
  #over = false;
  #waiting: ((step: IteratorResult<I | Gap>) => void)[] = [];

  /** `show` makes what the reader gets from what is held: only what is read costs a copy. */
  constructor(maxBytes: number, show: (held: H) => I, onReturn: () => void = () => {}) {
    this.#queue = new Queue(maxBytes);
    this.#show = show;
    this.#onReturn = onReturn;
  }

  push(item: H, bytes: number): void {
    if (this.#over) return;
    const reader = this.#waiting.shift();
    if (reader) reader({ value: this.#show(item), done: false });
    else this.#dropped += this.#queue.push(item, bytes);
  }

  /** Nothing more will arrive; items that are held can still be read. */
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
    if (item !== undefined) return Promise.resolve({ value: this.#show(item), done: false });
    if (this.#over) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<I | Gap>> {
    this.#queue.clear();
    this.#dropped = 0;
    this.end();
    this.#onReturn();
    return { value: undefined, done: true };
  }
}
