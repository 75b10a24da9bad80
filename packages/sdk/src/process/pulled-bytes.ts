import type { Readable } from 'node:stream';
import { TransportError } from '../errors/stream.ts';
import type { OutputFlow, OutputReceiver } from './output-flow.ts';

/** How many chunks may wait unread before the pipe is paused: many tiny ones weigh more than their bytes. */
const HELD_CHUNKS = 1_024;

type Step = IteratorResult<Uint8Array, undefined>;

const DONE: Step = { done: true, value: undefined };

/**
 * A child's output, to be iterated or to be handed over as a flow. A chunk goes straight to a reader that waits for it; when nobody waits, a few
 * are held and the pipe is paused. Leaving the iteration destroys the stream.
 */
export class PulledBytes implements AsyncIterableIterator<Uint8Array, undefined>, OutputFlow {
  private readonly name: string;
  private readonly maxHeldBytes: number;
  private readonly chunks: Uint8Array[] = [];
  private readonly readers: { resolve(step: Step): void; reject(error: Error): void }[] = [];
  private heldBytes = 0;
  private stream: Readable | undefined;
  private failure: TransportError | undefined;
  private ended = false;
  private receiver: OutputReceiver | undefined;
  private flowing = false;

  constructor(name: string, maxHeldBytes: number) {
    this.name = name;
    this.maxHeldBytes = maxHeldBytes;
  }

  /** Connects the stream; reads that came before it have waited for this. */
  attach(stream: Readable): void {
    this.stream = stream;
    stream.on('data', (chunk: Uint8Array) => this.take(chunk, stream));
    stream.on('error', (error) => this.fail(error));
    stream.on('end', () => this.end());
    stream.on('close', () => this.end());
  }

  /** Nothing more comes; what is held can still be read. */
  end(): void {
    this.ended = true;
    for (const reader of this.readers.splice(0)) reader.resolve(DONE);
    this.handOver();
  }

  /** Everything from now on goes to `receiver`, while it is not paused. */
  flow(receiver: OutputReceiver): OutputFlow {
    this.receiver = receiver;
    return this;
  }

  resume(): void {
    this.flowing = true;
    this.handOver();
  }

  pause(): void {
    this.flowing = false;
  }

  close(): void {
    void this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    const chunk = this.unhold();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    if (this.failure !== undefined) {
      const failure = this.failure;
      this.failure = undefined;
      return Promise.reject(failure);
    }
    if (this.ended) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => this.readers.push({ resolve, reject }));
  }

  return(): Promise<Step> {
    this.chunks.length = 0;
    this.heldBytes = 0;
    this.failure = undefined;
    this.end();
    this.stream?.destroy();
    return Promise.resolve(DONE);
  }

  private take(chunk: Uint8Array, stream: Readable): void {
    if (this.flowing && this.chunks.length === 0) {
      this.receiver?.chunk(chunk);
      return;
    }
    const reader = this.readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.chunks.push(chunk);
    this.heldBytes += chunk.length;
    // Not only when it flows by our own doing: Node resumes every pipe of a child that exits, also a paused one.
    if (this.heldBytes >= this.maxHeldBytes || this.chunks.length >= HELD_CHUNKS) stream.pause();
  }

  private unhold(): Uint8Array | undefined {
    const chunk = this.chunks.shift();
    if (chunk === undefined) return undefined;
    this.heldBytes -= chunk.length;
    if (this.chunks.length === 0 && this.stream?.isPaused()) this.stream.resume();
    return chunk;
  }

  /** Gives the receiver what is held, and the end when that is all. */
  private handOver(): void {
    while (this.flowing && this.receiver !== undefined) {
      const chunk = this.unhold();
      if (chunk !== undefined) {
        this.receiver.chunk(chunk);
      } else {
        if (this.ended) this.endFlow(this.receiver);
        return;
      }
    }
  }

  private endFlow(receiver: OutputReceiver): void {
    this.receiver = undefined;
    receiver.end(this.failure);
  }

  private fail(cause: Error): void {
    if (this.ended) return;
    const failure = new TransportError(
      `Reading the CLI's ${this.name} failed: ${cause.message}. The run cannot go on; start it again.`,
      cause,
    );
    const reader = this.readers.shift();
    if (reader !== undefined) reader.reject(failure);
    else this.failure = failure;
    this.end();
  }
}
