import { Buffer } from 'node:buffer';

const LF = 0x0a;

/** Splits bytes into lines. A secret that spans two chunks can be found only in a whole line. */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The start of a line. It grows by doubling, so that a line in a million pieces takes as long as in one. */
  #buffer = Buffer.alloc(0);
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that end in this chunk, without their line feeds. @throws RangeError if a line is too long */
  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      lines.push(this.#joined(chunk.subarray(from, at)));
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return lines;
  }

  /** Returns the text after the last line feed. */
  end(): Uint8Array | undefined {
    return this.#held === 0 ? undefined : this.#joined(new Uint8Array());
  }

  #keep(rest: Uint8Array): void {
    this.#held += rest.length;
    if (this.#held > this.#maxBytes) throw new RangeError(`a line is longer than ${this.#maxBytes} bytes`);
    if (this.#held > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#held, 2 * this.#buffer.length));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    // Copy it: the caller may reuse the memory of the chunk.
    this.#buffer.set(rest, this.#held - rest.length);
  }

  #joined(last: Uint8Array): Uint8Array {
    const line = Buffer.concat([this.#buffer.subarray(0, this.#held), last]);
    this.#buffer = Buffer.alloc(0);
    this.#held = 0;
    return line;
  }
}
