import type { Transport } from './transport.ts';

/** Takes output as it comes. */
export interface OutputReceiver {
  chunk(bytes: Uint8Array): void;
  /** The last call: the output has ended, or could not be read. */
  end(failure?: Error): void;
}

/** Output that hands itself over while it is not paused. It begins paused. */
export interface OutputFlow {
  /** May call the receiver before it returns. */
  resume(): void;
  pause(): void;
  /** Closes the pipe; the end comes by itself. */
  close(): void;
}

/** The output of a transport, whichever way it gives it. */
export function flowOf(transport: Transport, receiver: OutputReceiver): OutputFlow {
  return transport.flow?.(receiver) ?? new PulledFlow(transport.output, receiver);
}

/** Pulls an iterable for a receiver. */
class PulledFlow implements OutputFlow {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #receiver: OutputReceiver;
  #flowing = false;
  #pulling = false;

  constructor(output: AsyncIterable<Uint8Array>, receiver: OutputReceiver) {
    this.#chunks = output[Symbol.asyncIterator]();
    this.#receiver = receiver;
  }

  resume(): void {
    this.#flowing = true;
    if (!this.#pulling) void this.#pull();
  }

  pause(): void {
    this.#flowing = false;
  }

  close(): void {
    this.#chunks.return?.().catch(() => {
      // The pipe is being given up: how its end goes is of no interest.
    });
  }

  async #pull(): Promise<void> {
    this.#pulling = true;
    try {
      while (this.#flowing) {
        const step = await this.#chunks.next();
        if (step.done) return this.#receiver.end();
        this.#receiver.chunk(step.value);
      }
      this.#pulling = false;
    } catch (error) {
      this.#receiver.end(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
