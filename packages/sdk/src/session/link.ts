import { steadyNow } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { type OutputEnd, OutputReader, type ReaderSink } from '../process/output-reader.ts';
import { drainStderr, type StderrSink } from '../process/stderr-tail.ts';
import type { ExitReport, StartRequest, Transport } from '../process/transport.ts';
import { within } from '../timing/timers.ts';
import { encodeLine } from '../wire/encode.ts';

/** What a link needs from the session that owns it. */
export interface LinkOwner {
  readonly limits: Pick<Limits, 'maxLineBytes' | 'exitReadMs' | 'bufferBytes'>;
  readonly stderr: StderrSink;
  /** Whether a slow reader should hold up the pipe now. */
  readonly behind: boolean;
  /** stdout ended or failed while the process runs. */
  broken(failure: Error | undefined): void;
  /** The process is gone and its output has been read. */
  gone(exit: ExitReport, unfinishedLine?: string): unknown;
}

/** What receives the frames. It may hold messages back, for a session store. */
interface LinkSink extends ReaderSink {
  /** Whether it holds messages back now. */
  readonly holding?: boolean;
  /** Resolves when it holds nothing back. */
  readonly settled?: Promise<void>;
}

/** The one writer and the one reader of a session's process. */
export class Link<Sink extends LinkSink = LinkSink> {
  readonly transport: Transport;
  readonly incoming: Sink;
  readonly #session: LinkOwner;
  #reader: OutputReader | undefined;
  #exit: ExitReport | undefined;
  /** Whether a slow reader holds up the pipe, and when it last did. */
  #held = false;
  #heldAt = Number.NEGATIVE_INFINITY;
  #stderrRead: Promise<void> | undefined;
  started = false;

  constructor(session: LinkOwner, incoming: Sink, transport: Transport) {
    this.#session = session;
    this.incoming = incoming;
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
      sink: this.incoming,
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

  /** Whether a slow reader, or store, has held up messages in the last `ms`: then the CLI may be silent because of it. */
  heldUpWithin(ms: number): boolean {
    return this.#held || this.incoming.holding === true || steadyNow() - this.#heldAt < ms;
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
    // A result that waits for the store has come all the same.
    await this.incoming.settled;
    if (failure) return this.#session.broken(failure);
    const { exitReadMs } = this.#session.limits;
    const exit = this.#exit ?? (await within(exitReadMs, this.transport.exited));
    // stderr may arrive after the exit.
    if (exit && this.#stderrRead) await within(exitReadMs, this.#stderrRead);
    if (exit) void this.#session.gone(exit, unfinishedLine);
    else this.#session.broken(undefined);
  }
}
