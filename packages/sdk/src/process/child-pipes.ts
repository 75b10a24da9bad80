import type { Readable, Writable } from 'node:stream';
import { TransportError } from '../errors/stream.ts';
import { ITEM_BYTES, Queue, Waiters } from '../stream/queue.ts';

/**
 * The stdout or stderr of a child, iterated once. Holds chunks until they are read, and pauses the pipe above `maxHeldBytes`.
 * Ending the iteration early destroys the pipe.
 */
export class ChildOutput implements AsyncIterable<Uint8Array> {
  readonly #name: string;
  readonly #maxHeldBytes: number;
  readonly #chunks = new Queue<Uint8Array>();
  #stream: Readable | undefined;
  #failure: TransportError | undefined;
  #ended = false;
  readonly #changed = new Waiters();

  constructor(name: string, maxHeldBytes: number) {
    this.#name = name;
    this.#maxHeldBytes = maxHeldBytes;
  }

  /** Connects the pipe. Earlier reads wait for it. */
  attach(stream: Readable): void {
    this.#stream = stream;
    stream.on('data', (chunk: Uint8Array) => this.#hold(chunk, stream));
    stream.on('error', (error) => this.#fail(error));
    stream.on('end', () => this.end());
    stream.on('close', () => this.end());
  }

  /** Ends the output. Held chunks can still be read. */
  end(): void {
    this.#ended = true;
    this.#changed.wake();
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array, undefined> {
    return {
      next: () => this.#next(),
      return: async () => {
        this.#chunks.clear();
        this.#failure = undefined;
        this.#stream?.destroy();
        this.end();
        return { value: undefined, done: true };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#chunks.length === 0 && !this.#ended) await this.#changed.wait();
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      if (this.#chunks.length === 0 && this.#stream?.isPaused()) this.#stream.resume();
      return { value: chunk, done: false };
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
    return { value: undefined, done: true };
  }

  #hold(chunk: Uint8Array, stream: Readable): void {
    this.#chunks.push(chunk, chunk.length + ITEM_BYTES);
    // Check every chunk: when a child exits, Node resumes its pipes, even paused ones.
    if (this.#chunks.bytes >= this.#maxHeldBytes) stream.pause();
    this.#changed.wake();
  }

  #fail(cause: Error): void {
    if (this.#ended) return;
    this.#failure = new TransportError(
      `Reading the CLI's ${this.#name} failed: ${cause.message}. The run cannot continue; start it again.`,
      cause,
    );
    this.end();
  }
}

/** The stdin of a child. Writes keep their order and always settle. */
export class ChildInput {
  readonly #pending = new Set<(error: TransportError) => void>();
  #stream: Writable | undefined;
  #ended: Promise<void> | undefined;
  /** Creates the error for what can no longer be written. Most runs end without one. */
  #closed: (() => TransportError) | undefined;

  attach(stream: Writable): void {
    this.#stream = stream;
    stream.on('error', (error) => this.close(`The CLI no longer reads its stdin: ${error.message}.`, error));
    stream.on('close', () => this.close("The CLI's stdin is closed."));
  }

  /** Resolves when the pipe has accepted all of `text`. @throws TransportError */
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.#stream;
      if (this.#closed) throw this.#closed();
      if (!stream) throw new TransportError('The CLI was not started; call start() first.');
      if (this.#ended !== undefined) {
        throw new TransportError("The CLI's stdin was closed with endInput(); nothing can be written to it.");
      }
      this.#pending.add(reject);
      stream.write(text, (error) => {
        if (!this.#pending.delete(reject)) return;
        if (error) reject(new TransportError(`Writing to the CLI's stdin failed: ${error.message}.`, error));
        else resolve();
      });
    });
  }

  /** Resolves when everything is written and the pipe is closed, or the child has exited. */
  end(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined || stream.destroyed) return Promise.resolve();
    this.#ended ??= new Promise((resolve) => {
      stream.once('close', resolve);
      stream.end(() => resolve());
    });
    return this.#ended;
  }

  /** Fails all pending and later writes. Node would report a write that a closing pipe cut off as a success. */
  close(why: string, cause?: unknown): void {
    this.#closed ??= () => new TransportError(why, cause);
    for (const reject of this.#pending) reject(this.#closed());
    this.#pending.clear();
  }
}

/** Lets the host exit although `stream` is open. A child's pipes are sockets, but their declared type lacks `unref`. */
export function unrefStream(stream: object | null | undefined): void {
  if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
}
