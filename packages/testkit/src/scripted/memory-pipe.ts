/** A pipe in memory: what is written waits until it is read, and the writer is told when the reader is behind. */
export class MemoryPipe implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #buffered = 0;
  #ended = false;
  #abandoned = false;
  #wakeReader: () => void = () => {};
  #wakeWriter: () => void = () => {};

  /** Whether nobody will read any more, or nothing more will be written. */
  get closed(): boolean {
    return this.#ended || this.#abandoned;
  }

  /** Takes a chunk; a promise says that the reader is behind. */
  write(data: string | Uint8Array): Promise<void> | undefined {
    if (this.closed) return undefined;
    const chunk = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    if (chunk.length > 0) this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    this.#wakeReader();
    if (this.#buffered < capacity) return undefined;
    return new Promise((resolve) => {
      this.#wakeWriter = resolve;
    });
  }

  end(): void {
    this.#ended = true;
    this.#wakeReader();
    this.#wakeWriter();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) {
          this.#buffered -= chunk.length;
          if (this.#buffered < capacity) this.#wakeWriter();
          yield chunk;
        } else if (this.#ended) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve;
          });
        }
      }
    } finally {
      this.#abandoned = true;
      this.#chunks.length = 0;
      this.#wakeWriter();
    }
  }
}

/** What an operating system's pipe holds on Linux. */
const capacity = 65_536;
