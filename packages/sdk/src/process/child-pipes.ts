import type { Readable, Writable } from 'node:stream';
import { TransportError } from '../errors/stream.ts';
import { ITEM_BYTES, Queue, Waiters } from '../stream/queue.ts';

/**
 * The stdout or stderr of a child, iterated once. Chunks are held until they are read; above `maxHeldBytes` the pipe is
 * paused. Leaving the iteration destroys the pipe.
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

  /** Connects the pipe; reads that came before wait for it. */
  attach(stream: Readable): void {
    this.#stream = stream;
    stream.on('data', (chunk: Uint8Array) => this.#hold(chunk, stream));
    stream.on('error', (error) => this.#fail(error));
    stream.on('end', () => this.end());
    stream.on('close', () => this.end());
  }

  /** No more output follows; held chunks can still be read. */
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
    // Checked for each chunk: Node resumes the pipes of a child that exits, also paused ones.
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

/** The stdin of a child: writes keep their order and always settle. */
export class ChildInput {
  readonly #pending = new Set<(error: TransportError) => void>();
  #stream: Writable | undefined;
  #ended: Promise<void> | undefined;
  /** Why nothing can be written any more. */
  #closed: TransportError | undefined;

  attach(stream: Writable): void {
    this.#stream = stream;
    stream.on('error', (error) => this.close(`The CLI no longer reads its stdin: ${error.message}.`, error));
    stream.on('close', () => this.close("The CLI's stdin is closed."));
  }

  /** Resolves when the pipe has taken all of `text`. @throws TransportError */
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.#stream;
      if (this.#closed) throw this.#closed;
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

  /** Resolves when everything is written and the pipe is closed, or the child is gone. */
  end(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined || stream.destroyed) return Promise.resolve();
    this.#ended ??= new Promise((resolve) => {
      stream.once('close', resolve);
      stream.end(() => resolve());
    });
    return this.#ended;
  }

  /** Fails every waiting write and every later one. Node reports a write that a closing pipe cuts off as a success. */
  close(why: string, cause?: unknown): void {
    this.#closed ??= new TransportError(why, cause);
    for (const reject of this.#pending) reject(this.#closed);
    this.#pending.clear();
  }
}

/** Lets the host exit although `stream` is open. A child's pipes are sockets, which their declared type does not say. */
export function unrefStream(stream: object | null | undefined): void {
  if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
}
