import { steadyNow } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { type OutputEnd, OutputReader, type ReaderSink } from '../process/output-reader.ts';
import { drainStderr, type StderrTail } from '../process/stderr-tail.ts';
import type { ExitReport, StartRequest, Transport } from '../process/transport.ts';
import { within } from '../timing/timers.ts';
import { encodeLine } from '../wire/encode.ts';

/** What comes over a link. */
export interface LinkSink extends ReaderSink {
  /** When the CLI last said anything, on the clock of `steadyNow`. */
  readonly heardAt: number;
  /** The process is gone and everything it said has been handed on. */
  gone(exit: ExitReport, unfinishedLine?: string): void;
  /** stdout ended or failed while the process lives. */
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
  /** Nothing is read because of a slow reader, and when that was last so. */
  #held = false;
  #heldAt = Number.NEGATIVE_INFINITY;
  /** While stderr is read. */
  #stderrRead: Promise<void> | undefined;
  /** The process was started. */
  started = false;

  /** While `mustWait` is true nothing more is read; `resume` looks again. */
  constructor(transport: Transport, options: { limits: Limits; sink: LinkSink; mustWait: () => boolean }) {
    this.transport = transport;
    this.#limits = options.limits;
    this.#sink = options.sink;
    this.#mustWait = options.mustWait;
  }

  get lastFrameAt(): number {
    return this.#sink.heardAt;
  }

  /** Starts the process and begins to read it. @throws SpawnError */
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

  /** The same for a frame that nobody waits for. Never throws. */
  post(frame: object): void {
    this.postLine(encodeLine(frame));
  }

  /** The same for a frame that is a line already. */
  postLine(line: string): void {
    if (this.transport.post) this.transport.post(line);
    else this.transport.write(line).catch(() => {});
  }

  /** Whether a slow reader has held the pipe up in the last `ms`: then the CLI's silence is not its own. */
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

  /** What a dead process has left is little, and everyone who waits for it must be told: no slow reader holds that up. */
  #onExit(exit: ExitReport, reader: OutputReader): void {
    this.#exit = exit;
    reader.exited(this.#limits.exitReadMs, this.#limits.bufferBytes);
    reader.resume();
  }

  async #onOutputEnd({ failure, unfinishedLine }: OutputEnd): Promise<void> {
    if (failure) return this.#sink.broken(failure);
    const { exitReadMs } = this.#limits;
    const exit = this.#exit ?? (await within(exitReadMs, this.transport.exited));
    // The CLI's last words may come behind its exit.
    if (exit && this.#stderrRead) await within(exitReadMs, this.#stderrRead);
    if (exit) this.#sink.gone(exit, unfinishedLine);
    else this.#sink.broken(undefined);
  }
}
