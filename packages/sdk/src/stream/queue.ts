/** Memory overhead per item. Without it, a million one-byte items would count as one megabyte. */
export const ITEM_BYTES = 256;

/**
 * A first-in, first-out queue that counts the bytes it holds. Above `maxBytes` it drops its oldest items, but always keeps the
 * newest.
 */
export class Queue<T> {
  readonly #maxBytes: number;
  readonly #items: (T | undefined)[] = [];
  /** What each of the items weighs. */
  readonly #weights: number[] = [];
  #head = 0;
  #bytes = 0;

  constructor(maxBytes: number = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an item. Returns the number of old items dropped for it. */
  push(item: T, bytes = 0): number {
    this.#items.push(item);
    this.#weights.push(bytes);
    this.#bytes += bytes;
    let dropped = 0;
    for (; this.#bytes > this.#maxBytes && this.length > 1; dropped++) this.shift();
    return dropped;
  }

  /** The oldest item; `undefined` when the queue is empty. */
  get first(): T | undefined {
    return this.#items[this.#head];
  }

  /** Removes the oldest item; `undefined` when the queue is empty. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    // Release the item, so that it can be collected.
    this.#items[this.#head] = undefined;
    this.#bytes -= this.#weights[this.#head] ?? 0;
    this.#head++;
    // Calling `Array.shift` for every item would take quadratic time.
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#weights.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** All items, the oldest first. */
  items(): T[] {
    return this.#items.filter((item) => item !== undefined);
  }

  clear(): void {
    this.#items.length = 0;
    this.#weights.length = 0;
    this.#head = 0;
    this.#bytes = 0;
  }
}

/**
 * Estimates the size of a value in a queue. A value that JSON cannot represent, such as a too deeply nested one, counts as
 * large.
 */
export function jsonSize(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return 256 * 1024;
  }
}

/** Readers that wait for a change. */
export class Waiters {
  #waiting: (() => void)[] = [];

  /** True when a reader waits. */
  get any(): boolean {
    return this.#waiting.length > 0;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Makes every waiting reader check again. */
  wake(): void {
    if (this.any) for (const resume of this.#waiting.splice(0)) resume();
  }
}
