import { TransportError } from '../errors/stream.ts';
import { decodeLine, LineDecoder, type MessageSink } from '../wire/decode.ts';
import { LineFramer, type OversizeLine } from '../wire/lines.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import type { Transport } from './transport.ts';

/** What the reader tells its owner. */
export interface ReaderSink extends MessageSink {
  /** A chunk has come; its lines are decoded by `step`. */
  chunk(): void;
  /** The unfinished line has grown past the limit. */
  overflow?(): void;
  /** A line past the limit has ended, and was dropped. */
  oversize(line: OversizeLine): void;
  /** Reading waits for the CLI (true), or goes on (false). */
  waiting(waiting: boolean): void;
}

/** How stdout ended: a last line that was cut off, or a failure to read. */
export interface OutputEnd {
  readonly unfinishedLine?: string;
  readonly failure?: TransportError;
}

/** More than a pipe holds. */
const PIPE_BYTES = 2 * 1024 * 1024;

/** Reads stdout chunk by chunk and decodes it line by line, both on demand only, until it ends or the owner stops it. */
export class OutputReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #framer: LineFramer;
  readonly #decoder: LineDecoder;
  readonly #sink: ReaderSink;
  readonly #demand: () => Promise<void> | undefined;
  #stopped = false;
  #reading = false;
  #afterExitMs: number | undefined;
  #afterExitBytes = Number.POSITIVE_INFINITY;
  #afterExit: NodeJS.Timeout | undefined;

  constructor(
    transport: Transport,
    options: { maxLineBytes: number; sink: ReaderSink; demand: () => Promise<void> | undefined },
  ) {
    this.#chunks = transport.output[Symbol.asyncIterator]();
    this.#sink = options.sink;
    this.#demand = options.demand;
    const decoder = new LineDecoder(decodeUtf8, options.sink);
    this.#decoder = decoder;
    this.#framer = new LineFramer(options.maxLineBytes, {
      lines: (block) => decoder.push(block),
      oversize: (line) => options.sink.oversize(line),
    });
  }

  /** True when every line that was read has been decoded. */
  get drained(): boolean {
    return this.#decoder.empty;
  }

  /** Decodes the next line that was read; false when there is none. */
  step(): boolean {
    return this.#decoder.step();
  }

  async read(): Promise<OutputEnd> {
    try {
      for (;;) {
        const wanted = this.#stopped ? undefined : this.#demand();
        if (wanted !== undefined) await wanted;
        const chunk = await this.#next();
        if (this.#stopped) {
          if (chunk === undefined) return {};
          continue;
        }
        if (chunk === undefined) return this.#finish();
        this.#framer.push(chunk);
        this.#sink.chunk();
        if (this.#framer.overflowing) this.#sink.overflow?.();
      }
    } catch (cause) {
      return {
        failure:
          cause instanceof TransportError
            ? cause
            : new TransportError("Reading the CLI's stdout failed; start the run again.", cause),
      };
    }
  }

  /**
   * The process is gone: what it left in the pipe is read, but a grandchild that holds the pipe is neither waited for
   * nor, if it writes without end, read for ever.
   */
  exited(readMs: number, heldBytes: number): void {
    this.#afterExitMs = this.#stopped ? 0 : readMs;
    this.#afterExitBytes = heldBytes + PIPE_BYTES;
    if (this.#reading) this.#boundRead(this.#afterExitMs);
  }

  /**
   * Throws away what still comes. The pipe stays open until the process is gone: 2.1.325 hangs for two seconds on SIGINT
   * when nobody is there to take its last words.
   */
  stop(): void {
    this.#stopped = true;
  }

  async #next(): Promise<Uint8Array | undefined> {
    this.#reading = true;
    if (!this.#stopped) this.#sink.waiting(true);
    const left = this.#afterExitMs;
    const since = Date.now();
    if (left !== undefined) this.#boundRead(left);
    try {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      this.#afterExitBytes -= next.value.length;
      if (this.#afterExitBytes < 0) this.#closePipe();
      return next.value;
    } finally {
      this.#reading = false;
      if (!this.#stopped) this.#sink.waiting(false);
      clearTimeout(this.#afterExit);
      // Only the waiting counts: a slow consumer must not make the rest of the output go missing.
      if (left !== undefined) this.#afterExitMs = Math.max(0, left - (Date.now() - since));
    }
  }

  #boundRead(ms: number): void {
    clearTimeout(this.#afterExit);
    this.#afterExit = setTimeout(() => this.#closePipe(), ms);
  }

  #closePipe(): void {
    clearTimeout(this.#afterExit);
    this.#chunks.return?.().catch(() => {
      // The pipe is being given up: how its end goes is of no interest.
    });
  }

  /** The last line may lack its LF and still be whole. */
  #finish(): OutputEnd {
    const rest = this.#framer.end();
    if (rest === undefined) return {};
    const line = decodeUtf8(rest);
    if (line === undefined) return { unfinishedLine: `(${rest.length} bytes that are not UTF-8)` };
    let whole = true;
    decodeLine(line, {
      message: (message, rawJson) => this.#sink.message(message, rawJson),
      undecodable: () => {
        whole = false;
      },
    });
    return whole ? {} : { unfinishedLine: line };
  }
}
