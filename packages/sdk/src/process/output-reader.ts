import { steadyNow } from '../clock.ts';
import { TransportError } from '../errors/stream.ts';
import { decodeLine, LineDecoder, type MessageSink } from '../wire/decode.ts';
import { LF, LineFramer, type LineSink, type OversizeLine } from '../wire/lines.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import { flowOf, type OutputFlow, type OutputReceiver } from './output-flow.ts';
import type { Transport } from './transport.ts';

/** What the reader tells its owner. */
export interface ReaderSink extends MessageSink {
  /** A chunk has come. What is in it follows at once if the reader is eager, or else with each `step`. */
  chunk(): void;
  /** The unfinished line has grown past the limit. */
  overflow?(): void;
  /** A line past the limit has ended, and was dropped. */
  oversize(line: OversizeLine): void;
  /** Reading waits for the CLI (true), or goes on (false). */
  waiting?(waiting: boolean): void;
}

/** How stdout ended: a last line that was cut off, or a failure to read. */
export interface OutputEnd {
  readonly unfinishedLine?: string;
  readonly failure?: TransportError;
}

/** How a reader reads. */
export interface ReaderOptions {
  readonly maxLineBytes: number;
  readonly sink: ReaderSink;
  /** Whether to read on: looked at after each chunk, and at each `resume`. */
  readonly wanted: () => boolean;
  /** Whether lines are decoded as they come, and not when somebody takes a `step`. */
  readonly eager?: boolean;
}

/** More than a pipe holds. */
const PIPE_BYTES = 2 * 1024 * 1024;

/** Longer than nearly every control frame. */
const SHORT_CHUNK = 4_096;

/** Reads stdout chunk by chunk and decodes it line by line, on demand only, until it ends or the owner stops it. */
export class OutputReader implements OutputReceiver, LineSink {
  private readonly flow: OutputFlow;
  private readonly framer: LineFramer;
  private readonly decoder: LineDecoder;
  private readonly sink: ReaderSink;
  private readonly wanted: () => boolean;
  private readonly eager: boolean;
  private readonly shortBytes: number;
  private readonly ended: Promise<OutputEnd>;
  private resolveEnded: (end: OutputEnd) => void = () => {};
  private stopped = false;
  private reading = false;
  private over = false;
  private readSince = 0;
  private afterExitMs: number | undefined;
  private afterExitBytes = Number.POSITIVE_INFINITY;
  private afterExit: NodeJS.Timeout | undefined;

  constructor(transport: Transport, options: ReaderOptions) {
    this.sink = options.sink;
    this.wanted = options.wanted;
    this.eager = options.eager ?? false;
    this.shortBytes = Math.min(SHORT_CHUNK, options.maxLineBytes);
    this.decoder = new LineDecoder(decodeUtf8, options.sink);
    this.framer = new LineFramer(options.maxLineBytes, this);
    this.ended = new Promise((resolve) => {
      this.resolveEnded = resolve;
    });
    this.flow = flowOf(transport, this);
  }

  /** Decodes the next line that was read; false when there is none. */
  step(): boolean {
    return this.decoder.step();
  }

  read(): Promise<OutputEnd> {
    this.resume();
    return this.ended;
  }

  /** Reads on, if that is wanted by now. */
  resume(): void {
    if (this.over || this.reading || !this.mayRead()) return;
    this.await();
    this.flow.resume();
  }

  /**
   * The process is gone: what it left in the pipe is read, but a grandchild that holds the pipe is neither waited for
   * nor, if it writes without end, read for ever.
   */
  exited(readMs: number, heldBytes: number): void {
    this.afterExitMs = this.stopped ? 0 : readMs;
    this.afterExitBytes = heldBytes + PIPE_BYTES;
    if (this.reading) this.boundRead(this.afterExitMs);
  }

  /**
   * Throws away what still comes. The pipe stays open until the process is gone: 2.1.325 hangs for two seconds on SIGINT
   * when nobody is there to take its last words.
   */
  stop(): void {
    this.stopped = true;
    this.resume();
  }

  private mayRead(): boolean {
    return this.stopped || this.wanted();
  }

  chunk(bytes: Uint8Array): void {
    if (!this.stopped) this.take(bytes);
    const more = this.mayRead();
    if (more && !this.stopped) this.sink.waiting?.(true);
    if (this.afterExitMs !== undefined) this.countAfterExit(bytes.length);
    if (more) return;
    this.reading = false;
    clearTimeout(this.afterExit);
    this.flow.pause();
  }

  private take(bytes: Uint8Array): void {
    this.sink.waiting?.(false);
    try {
      if (this.eager && bytes.length <= this.shortBytes && this.takeLines(bytes)) return;
      this.framer.push(bytes);
      this.sink.chunk();
      if (this.eager) while (this.decoder.step());
      if (this.framer.overflowing) this.sink.overflow?.();
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * The short way for whole lines that come alone, as all do for whose answer the CLI waits. Ways are long while the
   * engine has not compiled them: without it the first 5,000 hooks of a process take 3 % longer.
   */
  private takeLines(bytes: Uint8Array): boolean {
    if (bytes[bytes.length - 1] !== LF || this.framer.unfinished) return false;
    const text = decodeUtf8(bytes);
    if (text === undefined) return false;
    this.sink.chunk();
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf('\n', from);
      decodeLine(text.slice(from, end), this.sink);
      from = end + 1;
    }
    return true;
  }

  lines(block: Uint8Array, single: boolean): void {
    this.decoder.push(block, single);
  }

  oversize(line: OversizeLine): void {
    this.sink.oversize(line);
  }

  end(failure?: Error): void {
    this.over = true;
    this.reading = false;
    clearTimeout(this.afterExit);
    if (!this.stopped) this.sink.waiting?.(false);
    if (failure) this.fail(failure);
    else this.resolveEnded(this.stopped ? {} : this.finish());
  }

  private fail(cause: unknown): void {
    const failure =
      cause instanceof TransportError
        ? cause
        : new TransportError("Reading the CLI's stdout failed; start the run again.", cause);
    this.stopped = true;
    this.resolveEnded({ failure });
  }

  private await(): void {
    this.reading = true;
    if (!this.stopped) this.sink.waiting?.(true);
    if (this.afterExitMs !== undefined) this.boundRead(this.afterExitMs);
  }

  /** Only the waiting counts: a slow consumer must not make the rest of the output go missing. */
  private countAfterExit(bytes: number): void {
    this.afterExitBytes -= bytes;
    if (this.afterExitBytes < 0) return this.closePipe();
    this.boundRead(Math.max(0, (this.afterExitMs ?? 0) - (steadyNow() - this.readSince)));
  }

  private boundRead(ms: number): void {
    clearTimeout(this.afterExit);
    this.afterExitMs = ms;
    this.readSince = steadyNow();
    this.afterExit = setTimeout(() => this.closePipe(), ms);
  }

  private closePipe(): void {
    clearTimeout(this.afterExit);
    this.flow.close();
  }

  /** The last line may lack its LF and still be whole. */
  private finish(): OutputEnd {
    const rest = this.framer.end();
    if (rest === undefined) return {};
    const line = decodeUtf8(rest);
    if (line === undefined) return { unfinishedLine: `(${rest.length} bytes that are not UTF-8)` };
    let whole = true;
    decodeLine(line, {
      message: (message, rawJson) => this.sink.message(message, rawJson),
      undecodable: () => {
        whole = false;
      },
    });
    return whole ? {} : { unfinishedLine: line };
  }
}
