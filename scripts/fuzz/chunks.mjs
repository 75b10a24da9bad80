import { Buffer } from 'node:buffer';

/** Splits its input into chunks of any size, at any position. */
export class Chopper {
  chunks = 0;
  bytes = 0;
  /** @type {Buffer[]} */
  #waiting = [];
  #random;

  /** @param {import('./random.mjs').Random} random */
  constructor(random) {
    this.#random = random;
  }

  /** @param {Buffer} bytes */
  add(bytes) {
    this.#waiting.push(bytes);
    this.bytes += bytes.length;
  }

  /** Passes everything on, piece by piece. @param {(chunk: Buffer) => void} push */
  cut(push) {
    const all = Buffer.concat(this.#waiting.splice(0));
    const most = this.#manner();
    for (let from = 0; from < all.length; ) {
      const to = Math.min(all.length, from + 1 + this.#random.below(most));
      push(all.subarray(from, to));
      this.chunks += 1;
      from = to;
    }
  }

  /** The largest chunk this time: sometimes single bytes, mostly the sizes of pipes. */
  #manner() {
    const manner = this.#random.next();
    if (manner < 0.02) return 1;
    if (manner < 0.2) return 40;
    return manner < 0.7 ? 2_000 : 65_536;
  }
}
