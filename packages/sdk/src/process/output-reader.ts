import { steadyNow } from '../clock.ts';
import { TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { within } from '../timing/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { decodeLine, LineDecoder, type MessageSink } from '../wire/decode.ts';
import { LineFramer, type OversizeLine } from '../wire/lines.ts';
import { drainStderr, type StderrTail } from './stderr-tail.ts';
import type { ExitReport, Transport } from './transport.ts';

/** Receives the events of the reader. */
export interface ReaderSink extends MessageSink {
  /** Called when a chunk arrives. An eager reader decodes it next; otherwise each `step` decodes one line. */
  chunk(): void;
  warn(warning: Warning): void;
  /** Called when the unfinished line exceeds the limit. */
  overflow?(): void;
  /** Called when a line that exceeded the limit has ended and was dropped. */
  oversize(line: OversizeLine): void;
  /** Called with true when the reader starts to wait for output of the CLI, and with false when it stops. */
  waiting?(waiting: boolean): void;
}

/** How stdout ended: with the process, with a read failure, or with neither while the process continued. */
export interface OutputEnd {
  readonly exit?: ExitReport | undefined;
  readonly failure?: Error | undefined;
  readonly unfinishedLine?: string | undefined;
}

export interface ReaderOptions {
  readonly limits: Pick<Limits, 'maxLineBytes' | 'exitReadMs' | 'bufferBytes'>;
  readonly stderr: StderrTail;
  readonly sink: ReaderSink;
  /** Returns whether to continue reading. Called before each chunk and at each `resume`, with true after the exit. */
  readonly wanted: (exited: boolean) => boolean;
  /** Decodes lines as they arrive instead of one per `step`. */
  readonly eager?: boolean;
}

/** More than the capacity of a pipe. */
const PIPE_BYTES = 2 * 1024 * 1024;

/** Reads stdout chunk by chunk while it is wanted, and decodes it line by line. Reads stderr as it arrives. */
export class OutputReader {
  readonly #transport: Transport;
  readonly #options: ReaderOptions;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #framer: LineFramer;
  readonly #decoder: LineDecoder;
  readonly #sink: ReaderSink;
  readonly #stderrRead: Promise<void>;
  #endRead: (end: OutputEnd) => void = () => {};
  #stopped = false;
  #waitingSince: number | undefined;
  #wake: () => void = () => {};
  /** The time and bytes that may still be read after the exit. */
  #afterExit: { ms: number; bytes: number } | undefined;
  #exitedAt = 0;
  #deadline: NodeJS.Timeout | undefined;

  constructor(transport: Transport, options: ReaderOptions) {
    const { sink } = options;
    const { maxLineBytes: limit } = options.limits;
    this.#transport = transport;
    this.#options = options;
    this.#sink = sink;
    this.#decoder = new LineDecoder(decodeUtf8, sink);
    this.#framer = new LineFramer(limit, {
      line: (bytes) => this.#decoder.push(bytes),
      oversize: (line) => sink.oversize(line),
      long: (bytes) => {
        const message = `A line from the CLI has reached ${bytes} bytes and is still incomplete. It is held in memory until it ends, up to limits.maxLineBytes (${limit}).`;
        sink.warn(warning('long-line', message, { bytes, limit }));
      },
    });
    this.#chunks = transport.output[Symbol.asyncIterator]();
    this.#stderrRead = drainStderr(transport.errorOutput, options.stderr);
    void transport.exited.then(() => this.#exited());
  }

  /** Decodes the next line. Returns false if there is none. */
  step(): boolean {
    return this.#decoder.step();
  }

  /** Reads to the end, then waits for the exit and for the end of stderr, which may follow it. Call it once. */
  async read(): Promise<OutputEnd> {
    const end = await new Promise<OutputEnd>((resolve) => {
      this.#endRead = resolve;
      void this.#readAll();
    });
    if (end.failure) return end;
    const { exitReadMs } = this.#options.limits;
    // The rest of a stopped run does not keep the host alive.
    const unref = this.#stopped;
    const exit = await within(exitReadMs, this.#transport.exited, { unref });
    if (exit) await within(this.#exitedAt + exitReadMs - steadyNow(), this.#stderrRead, { unref });
    return { ...end, exit };
  }

  /** Continues reading if it is wanted now. */
  resume(): void {
    this.#wake();
  }

  /**
   * Discards all further output. The pipe stays open until the process has exited: on SIGINT, 2.1.325 hangs for two seconds if
   * its last output is not read.
   */
  stop(): void {
    this.#stopped = true;
    this.resume();
  }

  /**
   * Called after the exit. Reads what is left in the pipe, but limits the time (`exitReadMs`) and the bytes, because a grandchild
   * may hold the pipe open.
   */
  #exited(): void {
    const { exitReadMs, bufferBytes } = this.#options.limits;
    this.#exitedAt = steadyNow();
    this.#afterExit = { ms: this.#stopped ? 0 : exitReadMs, bytes: bufferBytes + PIPE_BYTES };
    if (this.#waitingSince !== undefined) this.#startWaiting();
    this.resume();
  }

  async #readAll(): Promise<void> {
    try {
      for (;;) {
        while (!this.#stopped && !this.#options.wanted(this.#afterExit !== undefined)) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        const chunk = await this.#next();
        if (chunk === undefined) break;
        if (!this.#stopped) this.#take(chunk);
      }
      this.#endRead(this.#stopped ? {} : this.#finish());
    } catch (error) {
      this.#fail(error);
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (!this.#stopped) this.#sink.waiting?.(true);
    this.#startWaiting();
    try {
      const step = await this.#chunks.next();
      if (step.done) return undefined;
      this.#countAfterExit(step.value.length);
      return step.value;
    } finally {
      clearTimeout(this.#deadline);
      this.#waitingSince = undefined;
      if (!this.#stopped) this.#sink.waiting?.(false);
    }
  }

  #take(chunk: Uint8Array): void {
    try {
      this.#framer.push(chunk);
      this.#sink.chunk();
      if (this.#options.eager) while (this.#decoder.step());
      if (this.#framer.overflowing) this.#sink.overflow?.();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(cause: unknown): void {
    this.#stopped = true;
    const known = cause instanceof TransportError;
    const failure = known ? cause : new TransportError("Reading the CLI's stdout failed; start the run again.", cause);
    this.#endRead({ failure });
  }

  #startWaiting(): void {
    this.#waitingSince = steadyNow();
    if (this.#afterExit) this.#deadline = setTimeout(() => this.#closePipe(), this.#afterExit.ms);
  }

  /** Counts only the time of waiting: a slow consumer must not lose the rest of the output. */
  #countAfterExit(bytes: number): void {
    if (!this.#afterExit) return;
    this.#afterExit.ms = Math.max(0, this.#afterExit.ms - (steadyNow() - (this.#waitingSince ?? 0)));
    this.#afterExit.bytes -= bytes;
    if (this.#afterExit.bytes < 0) this.#closePipe();
  }

  #closePipe(): void {
    this.#chunks.return?.().catch(() => {
      // The pipe is abandoned, so a failure does not matter.
    });
  }

  /** The last line may be complete even without its LF. */
  #finish(): OutputEnd {
    const rest = this.#framer.end();
    if (rest === undefined) return {};
    const line = decodeUtf8(rest);
    if (line === undefined) return { unfinishedLine: `(${rest.length} bytes that are not UTF-8)` };
    let complete = true;
    decodeLine(line, {
      message: (message, rawJson) => this.#sink.message(message, rawJson),
      undecodable: () => {
        complete = false;
      },
    });
    return complete ? {} : { unfinishedLine: line };
  }
}

/** Decodes UTF-8; returns `undefined` for invalid bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The warning for a line that exceeded the limit and was dropped. */
export function lineTooLong(bytes: number, limit: number): Warning {
  const message = `The CLI sent a line of ${bytes} bytes, over limits.maxLineBytes; it was dropped.`;
  return warning('line-too-long', message, { bytes, limit });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
