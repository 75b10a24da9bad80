/** Memory overhead per item. Without it, a million one-byte items would count as one megabyte. */
export const ITEM_BYTES = 256;

/**
 * A first-in, first-out queue that counts the bytes it holds. Above `maxBytes` it drops its oldest items, but always keeps the
 * newest.
 */
export class Queue<T> {
  readonly #maxBytes: number;
  readonly #entries: ({ readonly item: T; readonly bytes: number } | undefined)[] = [];
  #head = 0;
  #bytes = 0;

  constructor(maxBytes: number = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#entries.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an item. Returns the number of old items dropped for it. */
  push(item: T, bytes = 0): number {
    this.#entries.push({ item, bytes });
    this.#bytes += bytes;
    let dropped = 0;
    for (; this.#bytes > this.#maxBytes && this.length > 1; dropped++) this.shift();
    return dropped;
  }

  /** The oldest item; `undefined` when the queue is empty. */
  get first(): T | undefined {
    return this.#entries[this.#head]?.item;
  }

  /** Removes the oldest item; `undefined` when the queue is empty. */
  shift(): T | undefined {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return undefined;
    // Release the item, so that it can be collected.
    this.#entries[this.#head] = undefined;
    this.#head++;
    this.#bytes -= entry.bytes;
    // Calling `Array.shift` for every item would take quadratic time.
    if (this.#head > 1_024 && this.#head * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
    return entry.item;
  }

  /** All items, the oldest first. */
  items(): T[] {
    return this.#entries.flatMap((entry) => (entry ? [entry.item] : []));
  }

  clear(): void {
    this.#entries.length = 0;
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
