import { type OutputEnd, OutputReader, type ReaderSink } from '../process/output-reader.ts';
import type { Transport } from '../process/transport.ts';
import type { ItemQueue } from '../stream/item-queue.ts';

/**
 * Reads and decodes stdout on demand: the next chunk is read when the consumer has taken everything. A run that only
 * waits for its end reads without demand.
 */
export class Reading {
  readonly #queue: ItemQueue;
  readonly #waitsForEnd: () => boolean;
  #reader: OutputReader | undefined;
  /** The rest of the output is discarded. */
  stopped = false;
  /** Whether any output has arrived. */
  begun = false;

  constructor(queue: ItemQueue, waitsForEnd: () => boolean) {
    this.#queue = queue;
    this.#waitsForEnd = waitsForEnd;
  }

  read(transport: Transport, maxLineBytes: number, sink: Omit<ReaderSink, 'chunk'>): Promise<OutputEnd> {
    this.#reader = new OutputReader(transport, {
      maxLineBytes,
      wanted: () => this.#waitsForEnd() || this.#queue.wanted,
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
    this.begun = true;
    this.#queue.at = Date.now();
    if (this.#waitsForEnd()) this.stepThrough();
    else this.#queue.wake();
  }
}
