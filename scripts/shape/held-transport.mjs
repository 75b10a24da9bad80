// A transport that delivers the output of another one line by line, holds one line until it is released, and reports writes.

/** @typedef {import('coxswain/transport').Transport} Transport */

export class Gate {
  /** @type {{ pattern: RegExp, reached: () => void } | undefined} */
  #held;
  /** @type {() => void} */
  #goOn = () => {};
  /** @type {(text: string) => void} */
  onWrite = () => {};

  /**
   * Holds the next line that matches; resolves when the reader waits for it.
   * @param {RegExp} pattern
   * @returns {Promise<void>}
   */
  hold(pattern) {
    return new Promise((resolve) => {
      this.#held = { pattern, reached: resolve };
    });
  }

  release() {
    this.#held = undefined;
    this.#goOn();
  }

  /** Releases the held line and holds the one after it. */
  releaseOne() {
    this.#held = { pattern: /./, reached: () => {} };
    this.#goOn();
  }

  /** @param {Transport} inner @returns {Transport} */
  around(inner) {
    const output = this.#lines(inner.output);
    return {
      output,
      errorOutput: inner.errorOutput,
      exited: inner.exited,
      pid: inner.pid,
      start: (request) => inner.start(request),
      write: (text) => {
        this.onWrite(text);
        return inner.write(text);
      },
      endInput: () => inner.endInput(),
      signal: (signal) => inner.signal(signal),
      unref: () => inner.unref?.(),
    };
  }

  /** @param {AsyncIterable<Uint8Array>} output */
  async *#lines(output) {
    for await (const chunk of output) {
      for (const line of Buffer.from(chunk)
        .toString()
        .split(/(?<=\n)/)) {
        await this.#pass(line);
        yield new TextEncoder().encode(line);
      }
    }
  }

  /** @param {string} line */
  async #pass(line) {
    const held = this.#held;
    if (!held?.pattern.test(line)) return;
    this.#held = undefined;
    await new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
      this.#goOn = resolve;
      held.reached();
    });
  }
}
