import { steadyNow } from '../clock.ts';
import type { CliRequest } from '../control/router.ts';
import { TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { OutputReader, type ReaderSink } from '../process/output-reader.ts';
import { endProcess, sessionSteps } from '../process/shutdown.ts';
import type { StderrTail } from '../process/stderr-tail.ts';
import type { ExitReport, StartRequest, Transport } from '../process/transport.ts';
import { within } from '../timing/timers.ts';
import { encodeLine } from '../wire/encode.ts';
import type { ControlRequests } from './requests.ts';

/** What a link needs from the session, or raw session, that owns it. */
export interface LinkOwner {
  readonly limits: Limits;
  readonly stderr: StderrTail;
  readonly requests: Pick<ControlRequests, 'send'>;
  /** Answers the requests of the CLI; `open` is the number of unanswered ones. */
  readonly inbound: {
    readonly open: number;
    handle(request: CliRequest, arrivedAt: number, bytes: number): void;
    cancel(id: string): void;
    stop(): Promise<void>;
  };
  /** `quiet` is true when no turn runs or waits; `idle` resolves then. A raw session has no turns. */
  readonly turns?: { readonly quiet: boolean; idle(): Promise<void> };
  /** Whether a slow reader should hold up the pipe now. */
  readonly behind: boolean;
  /** stdout ended or failed, or stdin is not read any more, while the process runs. */
  broken(failure: Error | undefined): unknown;
  /** The process is gone and its output has been read. */
  gone(exit: ExitReport, unfinishedLine?: string): unknown;
}

/** How long the CLI has to answer each request to leave. */
const ANSWER_MS = 1_000;

/** What a line that waits to be written weighs beside its text: a flood of small answers would otherwise be held as nothing. */
const LINE_OVERHEAD = 1_024;

/** The one writer and the one reader of a session's process, from its start to its end. */
export class Link {
  readonly transport: Transport;
  readonly #sink: ReaderSink;
  readonly #session: LinkOwner;
  #reader: OutputReader | undefined;
  /** Whether a slow reader holds up the pipe, and when it last did. */
  #held = false;
  #heldAt = Number.NEGATIVE_INFINITY;
  #ending: Promise<ExitReport> | undefined;
  #inputEnded = false;
  /** What `postLine` has written and the pipe has not taken, in bytes. */
  #posted = 0;
  #outputEnded: Promise<void> = Promise.resolve();
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
    const { limits, stderr } = this.#session;
    this.#reader = new OutputReader(this.transport, {
      limits,
      stderr,
      sink: this.#sink,
      wanted: (exited) => {
        // After the exit the remaining output is small, and callers wait for the end: a slow reader does not hold it up.
        this.#held = !exited && this.#session.behind;
        return !this.#held;
      },
      eager: true,
    });
    this.#outputEnded = this.#reader.read().then(({ exit, failure, unfinishedLine }) => {
      if (exit) void this.#session.gone(exit, unfinishedLine);
      else void this.#session.broken(failure);
    });
  }

  /** Writes one frame as one line. @throws TransportError */
  send(frame: object): Promise<void> {
    return this.#write(encodeLine(frame));
  }

  /** Writes one frame without waiting. A write that fails is dropped: a CLI that is gone does not need it. */
  post(frame: object): void {
    this.postLine(encodeLine(frame));
  }

  postLine(line: string): void {
    const { backlogBytes } = this.#session.limits;
    const bytes = line.length + LINE_OVERHEAD;
    if (this.#posted + bytes > backlogBytes) return this.#inputLost(notRead(backlogBytes));
    this.#posted += bytes;
    this.#write(line)
      .catch(() => {})
      .finally(() => {
        this.#posted -= bytes;
      });
  }

  /** Closes stdin; the output is read on. */
  async endInput(): Promise<void> {
    this.#inputEnded = true;
    await this.transport.endInput();
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

  /** Discards all further output. */
  close(): void {
    this.#reader?.stop();
  }

  /**
   * Asks the CLI to leave, for at most `graceMs` in all; then SIGTERM, then SIGKILL. Does not keep the host process alive.
   * The process is ended once: every call of this or `endNow` returns the same report.
   */
  endGracefully(): Promise<ExitReport> {
    this.#ending ??= this.#endGracefully();
    return this.#ending;
  }

  /** SIGTERM, then SIGKILL, unless the process is being ended already. `unref` lets the host process exit meanwhile. */
  endNow(unref: boolean): Promise<ExitReport> {
    this.#ending ??= this.#climb(0, unref);
    return this.#ending;
  }

  async #write(line: string): Promise<void> {
    try {
      await this.transport.write(line);
    } catch (error) {
      this.#inputLost(new TransportError(INPUT_CLOSED, error));
      throw error;
    }
  }

  /**
   * The CLI cannot be written to. That is how an exit shows first; a CLI that stays can neither be asked nor answered any
   * more, so that the connection is over.
   */
  #inputLost(failure: Error): void {
    if (this.#inputEnded || this.#ending !== undefined) return;
    this.#inputEnded = true;
    void within(this.#session.limits.exitReadMs, this.transport.exited, { unref: true }).then((exit) => {
      if (!exit && this.#ending === undefined) void this.#session.broken(failure);
    });
  }

  async #endGracefully(): Promise<ExitReport> {
    const { limits, inbound } = this.#session;
    const began = steadyNow();
    const left = (): number => Math.max(0, limits.graceMs - (steadyNow() - began));
    await inbound.stop();
    // A transport that breaks its contract must not keep the process from being ended.
    await this.#sayGoodbye(left).catch(() => {});
    const exit = await this.#climb(left(), true);
    // The end of the output comes first: it may hold an unfinished line.
    await within(limits.exitReadMs, this.#outputEnded, { unref: true });
    return exit;
  }

  async #climb(graceMs: number, unref: boolean): Promise<ExitReport> {
    return endProcess(this.transport, sessionSteps(this.#session.limits, graceMs), unref);
  }

  /**
   * `end_session` comes first: EOF first makes 2.1.197 run a tool whose guard can no longer be asked. stdin is closed only
   * when no turn runs and no request of the CLI is open.
   */
  async #sayGoodbye(left: () => number): Promise<void> {
    const { turns, inbound } = this.#session;
    const { transport } = this;
    // The processes that the CLI leaves behind must be known before it is asked to leave.
    transport.ending?.();
    const gone = transport.exited.then(() => true);
    const step = (): number => Math.min(ANSWER_MS, left());
    if (await this.#ask('end_session', step(), gone)) {
      if (await within(step(), gone)) return;
    } else {
      const still = Promise.all([this.#ask('interrupt', step(), gone), turns?.idle()]);
      await within(step(), Promise.race([still, gone]));
    }
    if (left() === 0 || inbound.open > 0 || turns?.quiet === false) return;
    const closed = this.endInput().catch(() => {});
    await within(step(), Promise.race([closed, gone]));
  }

  /** True when the CLI agreed, or is gone. Progress that it reports does not extend the time. */
  async #ask(subtype: string, timeoutMs: number, gone: Promise<boolean>): Promise<boolean> {
    const answered = this.#session.requests.send(subtype, {}, { timeoutMs }).then(
      () => true,
      () => false,
    );
    return (await within(timeoutMs, Promise.race([answered, gone]))) ?? false;
  }
}

const INPUT_CLOSED =
  'The CLI closed its stdin and kept running, so the session was ended. Start a new one with resume.';

function notRead(limit: number): TransportError {
  const message = `The CLI does not read its stdin: more answers wait for it than limits.backlogBytes (${limit} bytes) allows, so the session was ended. Start a new one with resume.`;
  return new TransportError(message);
}
