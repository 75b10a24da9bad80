import { steadyNow } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { type OutputEnd, OutputReader, type ReaderSink } from '../process/output-reader.ts';
import { drainStderr, type StderrTail } from '../process/stderr-tail.ts';
import type { ExitReport, StartRequest, Transport } from '../process/transport.ts';
import { within } from '../timing/timers.ts';
import { encodeLine } from '../wire/encode.ts';

/** What a link needs from the session that owns it. */
export interface LinkOwner {
  readonly limits: Pick<Limits, 'maxLineBytes' | 'exitReadMs' | 'bufferBytes'>;
  readonly stderr: StderrTail;
  /** Whether a slow reader should hold up the pipe now. */
  readonly behind: boolean;
  /** stdout ended or failed while the process runs. */
  broken(failure: Error | undefined): unknown;
  /** The process is gone and its output has been read. */
  gone(exit: ExitReport, unfinishedLine?: string): unknown;
}

/** The one writer and the one reader of a session's process. */
export class Link {
  readonly transport: Transport;
  readonly #sink: ReaderSink;
  readonly #session: LinkOwner;
  #reader: OutputReader | undefined;
  #exit: ExitReport | undefined;
  /** Whether a slow reader holds up the pipe, and when it last did. */
  #held = false;
  #heldAt = Number.NEGATIVE_INFINITY;
  #stderrRead: Promise<void> | undefined;
  started = false;

  constructor(session: LinkOwner, sink: ReaderSink, transport: Transport) {
    this.#session = session;
    this.#sink = sink;
    this.transport = transport;
  }

  /** Starts the process and reads its output. @throws SpawnError */
  async start(request: StartRequest): Promise<void> {
    await this.transport.start(request);
    this.started = true;
    this.#stderrRead = drainStderr(this.transport.errorOutput, this.#session.stderr).then(() => {
      this.#stderrRead = undefined;
    });
    const reader = new OutputReader(this.transport, {
      maxLineBytes: this.#session.limits.maxLineBytes,
      wanted: () => {
        this.#held = this.#exit === undefined && this.#session.behind;
        return !this.#held;
      },
      sink: this.#sink,
      eager: true,
    });
    this.#reader = reader;
    void this.transport.exited.then((exit) => {
      this.#exit = exit;
      // The remaining output is small, and callers wait for the end: a slow reader does not hold it up.
      reader.exited(this.#session.limits.exitReadMs, this.#session.limits.bufferBytes);
      reader.resume();
    });
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

  postLine(line: string): void {
    this.transport.write(line).catch(() => {});
  }

  /** Whether a slow reader has held up the pipe in the last `ms`: then the CLI may be silent because of it. */
  heldUpWithin(ms: number): boolean {
    return this.#held || steadyNow() - this.#heldAt < ms;
  }

  resume(): void {
    if (this.#held) {
      this.#held = false;
      this.#heldAt = steadyNow();
    }
    this.#reader?.resume();
  }

  close(): void {
    this.#reader?.stop();
  }

  async #onOutputEnd({ failure, unfinishedLine }: OutputEnd): Promise<void> {
    if (failure) return void this.#session.broken(failure);
    const { exitReadMs } = this.#session.limits;
    const exit = this.#exit ?? (await within(exitReadMs, this.transport.exited));
    // stderr may arrive after the exit.
    if (exit && this.#stderrRead) await within(exitReadMs, this.#stderrRead);
    if (exit) void this.#session.gone(exit, unfinishedLine);
    else void this.#session.broken(undefined);
  }
}
