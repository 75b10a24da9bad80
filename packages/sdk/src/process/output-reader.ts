import { TransportError } from '../errors/stream.ts';
import { decodeLine, LineDecoder, type MessageSink } from '../wire/decode.ts';
import { LineFramer, type LineSink, type OversizeLine } from '../wire/lines.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import { flowOf, type OutputFlow, type OutputReceiver } from './output-flow.ts';
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
  waiting?(waiting: boolean): void;
}

/** How stdout ended: a last line that was cut off, or a failure to read. */
export interface OutputEnd {
  readonly unfinishedLine?: string;
  readonly failure?: TransportError;
}

/** More than a pipe holds. */
const PIPE_BYTES = 2 * 1024 * 1024;

/** Reads stdout chunk by chunk and decodes it line by line, both on demand only, until it ends or the owner stops it. */
export class OutputReader implements OutputReceiver, LineSink {
  private readonly flow: OutputFlow;
  private readonly framer: LineFramer;
  private readonly decoder: LineDecoder;
  private readonly sink: ReaderSink;
  private readonly wanted: () => boolean;
  private readonly ended: Promise<OutputEnd>;
  private resolveEnded: (end: OutputEnd) => void = () => {};
  private stopped = false;
  private reading = false;
  private over = false;
  private readSince = 0;
  private afterExitMs: number | undefined;
  private afterExitBytes = Number.POSITIVE_INFINITY;
  private afterExit: NodeJS.Timeout | undefined;

  /** Looks at `wanted` after each chunk, and at each `resume`, whether to read on. */
  constructor(transport: Transport, options: { maxLineBytes: number; sink: ReaderSink; wanted: () => boolean }) {
    this.sink = options.sink;
    this.wanted = options.wanted;
    this.decoder = new LineDecoder(decodeUtf8, options.sink);
    this.framer = new LineFramer(options.maxLineBytes, this);
    this.ended = new Promise((resolve) => {
      this.resolveEnded = resolve;
    });
    this.flow = flowOf(transport, this);
  }

  /** True when every line that was read has been decoded. */
  get drained(): boolean {
    return this.decoder.empty;
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
    if (!this.stopped) this.decode(bytes);
    if (this.afterExitMs !== undefined) this.countAfterExit(bytes.length);
    if (this.mayRead()) return;
    this.reading = false;
    clearTimeout(this.afterExit);
    this.flow.pause();
  }

  private decode(bytes: Uint8Array): void {
    this.sink.waiting?.(false);
    try {
      this.framer.push(bytes);
      this.sink.chunk();
      if (this.framer.overflowing) this.sink.overflow?.();
    } catch (error) {
      this.fail(error);
    }
    if (this.mayRead() && !this.stopped) this.sink.waiting?.(true);
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
    this.boundRead(Math.max(0, (this.afterExitMs ?? 0) - (Date.now() - this.readSince)));
  }

  private boundRead(ms: number): void {
    clearTimeout(this.afterExit);
    this.afterExitMs = ms;
    this.readSince = Date.now();
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
