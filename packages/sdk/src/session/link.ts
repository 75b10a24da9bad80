import { steadyNow } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { type OutputEnd, OutputReader, type ReaderSink } from '../process/output-reader.ts';
import { drainStderr, type StderrTail } from '../process/stderr-tail.ts';
import type { ExitReport, StartRequest, Transport } from '../process/transport.ts';
import { within } from '../timing/timers.ts';
import { encodeLine } from '../wire/encode.ts';

/** What a link reports to its session. */
export interface LinkSink extends ReaderSink {
  /** When the CLI last sent anything, on the clock of `steadyNow`. */
  readonly heardAt: number;
  /** The process is gone and all its output has been delivered. */
  gone(exit: ExitReport, unfinishedLine?: string): void;
  /** stdout ended or failed while the process runs. */
  broken(failure: Error | undefined): void;
}

/** The one writer and the one reader of a session's process. */
export class Link {
  readonly transport: Transport;
  readonly #limits: Limits;
  readonly #sink: LinkSink;
  readonly #mustWait: () => boolean;
  #reader: OutputReader | undefined;
  #exit: ExitReport | undefined;
  /** Whether a slow reader holds up the pipe, and when it last did. */
  #held = false;
  #heldAt = Number.NEGATIVE_INFINITY;
  /** Set while stderr is read. */
  #stderrRead: Promise<void> | undefined;
  /** The process was started. */
  started = false;

  /** While `mustWait` returns true nothing is read; `resume` checks again. */
  constructor(transport: Transport, options: { limits: Limits; sink: LinkSink; mustWait: () => boolean }) {
    this.transport = transport;
    this.#limits = options.limits;
    this.#sink = options.sink;
    this.#mustWait = options.mustWait;
  }

  get lastFrameAt(): number {
    return this.#sink.heardAt;
  }

  /** Starts the process and reads its output. @throws SpawnError */
  async start(request: StartRequest, stderr: StderrTail): Promise<void> {
    await this.transport.start(request);
    this.started = true;
    this.#stderrRead = drainStderr(this.transport.errorOutput, stderr).then(() => {
      this.#stderrRead = undefined;
    });
    const reader = new OutputReader(this.transport, {
      maxLineBytes: this.#limits.maxLineBytes,
      wanted: () => this.#wanted(),
      sink: this.#sink,
      eager: true,
    });
    this.#reader = reader;
    void this.transport.exited.then((exit) => this.#onExit(exit, reader));
    void reader.read().then((end) => this.#onOutputEnd(end));
  }

  /** Writes one frame as one line. @throws TransportError */
  send(frame: object): Promise<void> {
    return this.transport.write(encodeLine(frame));
  }

  /** Writes one frame without waiting. A write that fails is dropped: a CLI that is gone does not need it. */
  post(frame: object): void {
    this.postLine(encodeLine(frame));
  }

  /** The same for an encoded frame. */
  postLine(line: string): void {
    this.transport.write(line).catch(() => {});
  }

  /** Whether a slow reader has held up the pipe in the last `ms`: then the CLI may be silent because of it. */
  heldUpWithin(ms: number): boolean {
    return this.#held || steadyNow() - this.#heldAt < ms;
  }

  /** A slow reader has caught up. */
  resume(): void {
    if (this.#held) {
      this.#held = false;
      this.#heldAt = steadyNow();
    }
    this.#reader?.resume();
  }

  /** Stops reading. */
  close(): void {
    this.#reader?.stop();
  }

  #wanted(): boolean {
    this.#held = this.#exit === undefined && this.#mustWait();
    return !this.#held;
  }

  /** The remaining output is small, and callers wait for the end: a slow reader does not hold it up. */
  #onExit(exit: ExitReport, reader: OutputReader): void {
    this.#exit = exit;
    reader.exited(this.#limits.exitReadMs, this.#limits.bufferBytes);
    reader.resume();
  }

  async #onOutputEnd({ failure, unfinishedLine }: OutputEnd): Promise<void> {
    if (failure) return this.#sink.broken(failure);
    const { exitReadMs } = this.#limits;
    const exit = this.#exit ?? (await within(exitReadMs, this.transport.exited));
    // stderr may arrive after the exit.
    if (exit && this.#stderrRead) await within(exitReadMs, this.#stderrRead);
    if (exit) this.#sink.gone(exit, unfinishedLine);
    else this.#sink.broken(undefined);
  }
}
