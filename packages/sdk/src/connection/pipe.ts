import { steadyNow } from '../clock.ts';
import { TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { type OutputEnd, OutputReader, type ReaderOptions } from '../process/output-reader.ts';
import type { StartRequest, Transport } from '../process/transport.ts';
import { within } from '../timing/timers.ts';

/** How the output of the CLI is read, and what the end of a pipe causes. */
export interface PipeOptions extends Omit<ReaderOptions, 'limits'> {
  readonly limits: Pick<Limits, 'backlogBytes' | 'bufferBytes' | 'exitReadMs' | 'maxLineBytes'>;
  /** stdout has ended. */
  outputEnded(end: OutputEnd): void;
  /** The CLI does not read its stdin, and keeps running. */
  inputLost(failure: Error): void;
}

/** The weight of a queued line beside its text, so that a flood of short answers is bounded too. */
const LINE_OVERHEAD = 1_024;

/** The one writer and the one reader of a CLI process. */
export class Pipe {
  readonly transport: Transport;
  readonly #options: PipeOptions;
  #reader: OutputReader | undefined;
  /** True while a slow consumer keeps the output from being read. */
  #paused = false;
  #pausedAt = Number.NEGATIVE_INFINITY;
  #inputEnded = false;
  /** Bytes that were posted and that the pipe has not accepted. */
  #posted = 0;
  /** Settles when stdout has ended and its end was reported. */
  outputRead: Promise<void> = Promise.resolve();

  constructor(transport: Transport, options: PipeOptions) {
    this.transport = transport;
    this.#options = options;
  }

  /** True once the process runs. */
  get started(): boolean {
    return this.#reader !== undefined;
  }

  /** Starts the process and reads its output. @throws SpawnError */
  async start(request: StartRequest): Promise<void> {
    await this.transport.start(request);
    const { wanted, outputEnded } = this.#options;
    const reader = new OutputReader(this.transport, {
      ...this.#options,
      wanted: (exited) => {
        this.#paused = !wanted(exited);
        return !this.#paused;
      },
    });
    this.#reader = reader;
    this.outputRead = reader.read().then(outputEnded);
  }

  /** Writes one text. @throws TransportError */
  async write(text: string): Promise<void> {
    try {
      await this.transport.write(text);
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** Writes one line without waiting. If the write fails, the line is dropped: a CLI that has exited does not need it. */
  post(line: string): void {
    const { backlogBytes } = this.#options.limits;
    const bytes = line.length + LINE_OVERHEAD;
    if (this.#posted + bytes > backlogBytes) return this.#inputLost(notRead(backlogBytes));
    this.#posted += bytes;
    const settled = (): void => {
      this.#posted -= bytes;
    };
    // Not with `write()`: each answer to the CLI is posted, and would need more promises.
    this.transport.write(line).then(settled, (error: unknown) => {
      settled();
      this.#failed(error);
    });
  }

  /** Closes stdin and keeps reading. */
  async endInput(): Promise<void> {
    this.#inputEnded = true;
    await this.transport.endInput();
  }

  /** Whether a slow consumer has paused the output in the last `ms`: the CLI may be silent because of it. */
  pausedWithin(ms: number): boolean {
    return this.#paused || steadyNow() - this.#pausedAt < ms;
  }

  /** Reads on, if that is wanted by now. */
  resume(): void {
    if (this.#paused) {
      this.#paused = false;
      this.#pausedAt = steadyNow();
    }
    this.#reader?.resume();
  }

  /** Decodes the next line; false when there is none. Only for a reader that is not eager. */
  step(): boolean {
    return this.#reader?.step() ?? false;
  }

  /** Discards all further output. */
  discard(): void {
    this.#reader?.stop();
  }

  #failed(cause: unknown): void {
    this.#inputLost(new TransportError(INPUT_CLOSED, cause));
  }

  /**
   * A failed write is often the first sign of an exit. If the CLI keeps running, it can receive neither requests nor answers, so
   * the connection has failed.
   */
  #inputLost(failure: Error): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    const { limits, inputLost } = this.#options;
    void within(limits.exitReadMs, this.transport.exited, { unref: true }).then((exit) => {
      if (!exit) inputLost(failure);
    });
  }
}

const INPUT_CLOSED =
  'The CLI closed its stdin and kept running, so the session was ended. Start a new one with resume.';

function notRead(limit: number): TransportError {
  const message = `The CLI does not read its stdin: more answers wait for it than limits.backlogBytes (${limit} bytes) allows, so the session was ended. Start a new one with resume.`;
  return new TransportError(message);
}
