import { type OutputEnd, OutputReader, type ReaderSink } from '../process/output-reader.ts';
import type { Transport } from '../process/transport.ts';
import type { Feed } from '../stream/feed.ts';

/**
 * Reads and decodes stdout on demand: the next chunk is read when the consumer has taken everything. A run that only
 * waits for its end reads without demand.
 */
export class Reading {
  readonly #feed: () => Feed;
  readonly #waitsForEnd: () => boolean;
  #reader: OutputReader | undefined;
  /** The rest of the output is discarded. */
  stopped = false;
  /** When the last chunk came. */
  at: number = Date.now();

  constructor(feed: () => Feed, waitsForEnd: () => boolean) {
    this.#feed = feed;
    this.#waitsForEnd = waitsForEnd;
  }

  read(transport: Transport, maxLineBytes: number, sink: Omit<ReaderSink, 'chunk'>): Promise<OutputEnd> {
    this.#reader = new OutputReader(transport, {
      maxLineBytes,
      wanted: () => this.#waitsForEnd() || this.#feed().wanted,
      sink: { chunk: () => this.#onChunk(), ...sink },
    });
    return this.#reader.read();
  }

  /** Decodes the next line that was read; false when there is none, or reading has stopped. */
  step(): boolean {
    return !this.stopped && this.#reader !== undefined && this.#reader.step();
  }

  stepThrough(): void {
    while (this.step());
  }

  /** Continues to read: the consumer waits for more. */
  resume(): void {
    this.#reader?.resume();
  }

  exited(readMs: number, heldBytes: number): void {
    this.#reader?.exited(readMs, heldBytes);
  }

  stop(): void {
    this.stopped = true;
    this.#reader?.stop();
  }

  #onChunk(): void {
    this.at = Date.now();
    if (this.#waitsForEnd()) this.stepThrough();
    else this.#feed().wake();
  }
}
