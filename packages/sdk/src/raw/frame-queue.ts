import { Queue, Waiters } from '../stream/queue.ts';
import type { Message } from '../wire/messages.ts';

/** A frame of the CLI that is not part of the control protocol. */
export interface RawFrame {
  readonly message: Message;
  /** The line it came in. */
  readonly rawJson: string;
}

/** Up to here frames are kept parsed: a parsed object weighs several times its line. */
const PARSED_BYTES = 256 * 1024;

/** Frames between the CLI and their reader: none is lost, and all are read before the end is. */
export class FrameQueue {
  readonly #queue = new Queue<{ readonly message: Message | undefined; readonly rawJson: string }>();
  readonly #waiters = new Waiters();
  readonly #onTaken: () => void;
  #ended = false;
  /** A reader has asked for a frame. */
  reading = false;

  constructor(onTaken: () => void) {
    this.#onTaken = onTaken;
  }

  get bytes(): number {
    return this.#queue.bytes;
  }

  push(message: Message, rawJson: string): void {
    const keep = this.#queue.bytes + rawJson.length <= PARSED_BYTES;
    this.#queue.push({ message: keep ? message : undefined, rawJson }, rawJson.length);
    this.#waiters.wake();
  }

  end(): void {
    this.#ended = true;
    this.#waiters.wake();
  }

  /** Drops what is not read yet, and ends. */
  clear(): void {
    this.#queue.clear();
    this.end();
  }

  /** The next frame; `undefined` after the last one. */
  async take(): Promise<RawFrame | undefined> {
    this.reading = true;
    for (;;) {
      const held = this.#queue.shift();
      if (held !== undefined) {
        this.#onTaken();
        const { message, rawJson } = held;
        return { message: message ?? JSON.parse(rawJson), rawJson };
      }
      if (this.#ended) return undefined;
      await this.#waiters.wait();
    }
  }
}
