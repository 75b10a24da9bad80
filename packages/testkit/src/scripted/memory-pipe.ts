type Step = IteratorResult<Uint8Array, undefined>;

const DONE: Step = { done: true, value: undefined };

/** An in-memory pipe: holds writes until they are read, and returns a promise while the reader is behind. */
export class MemoryPipe implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #chunks: Uint8Array[] = [];
  readonly #readers: { resolve(step: Step): void; reject(error: Error): void }[] = [];
  #buffered = 0;
  #ended = false;
  #abandoned = false;
  #failure: Error | undefined;
  #wakeWriters: (() => void)[] = [];

  /** True if the reader has stopped, or the writer has ended. */
  get closed(): boolean {
    return this.#ended || this.#abandoned;
  }

  /** The number of unread bytes. */
  get buffered(): number {
    return this.#buffered;
  }

  /** Writes a chunk; returns a promise while the reader is behind. */
  write(data: string | Uint8Array): Promise<void> | undefined {
    if (this.closed) return undefined;
    const chunk = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    if (chunk.length === 0) return undefined;
    const reader = this.#readers.shift();
    if (reader) {
      reader.resolve({ done: false, value: chunk });
      return undefined;
    }
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < capacity) return undefined;
    return new Promise((resolve) => {
      this.#wakeWriters.push(resolve);
    });
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#readers.splice(0)) reader.resolve(DONE);
    this.#wake();
  }

  /** Ends with an error after all earlier chunks. */
  fail(error: Error): void {
    if (this.closed) return;
    const reader = this.#readers.shift();
    if (reader) reader.reject(error);
    else this.#failure = error;
    this.end();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#buffered -= chunk.length;
      if (this.#buffered < capacity) this.#wake();
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#failure) {
      const failure = this.#failure;
      this.#failure = undefined;
      return Promise.reject(failure);
    }
    if (this.closed) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /** Stops reading; also ends a pending read. */
  return(): Promise<Step> {
    this.#abandoned = true;
    this.#chunks.length = 0;
    this.#buffered = 0;
    this.#failure = undefined;
    this.end();
    return Promise.resolve(DONE);
  }

  #wake(): void {
    for (const wake of this.#wakeWriters.splice(0)) wake();
  }
}

/** The capacity of a pipe on Linux. */
const capacity = 65_536;
