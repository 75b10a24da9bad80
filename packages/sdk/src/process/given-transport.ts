import { isCoxswainError } from '../errors/any-error.ts';
import { reasonOf } from '../errors/base.ts';
import { SpawnError } from '../errors/start.ts';
import { TransportError } from '../errors/stream.ts';
import { safely } from '../report/safely.ts';
import { Deferred, isThenable } from '../timing/timers.ts';
import { adapterFailure, methodsMissing } from './adapter-failure.ts';
import { GivenOutput } from './given-output.ts';
import { STRENGTH } from './shutdown.ts';
import {
  type ExitReport,
  NEVER_STARTED,
  type StartRequest,
  type Transport,
  type TransportSignal,
} from './transport.ts';

/** Wraps the caller's transport, or creates it with the caller's function. @throws SpawnError if it cannot be created */
export function givenTransport(option: Transport | (() => Transport)): Transport {
  if (typeof option !== 'function') return new GivenTransport(option);
  try {
    return new GivenTransport(option());
  } catch (error) {
    throw isCoxswainError(error) ? error : adapterFailure('transport', `failed: ${reasonOf(error)}`, error);
  }
}

/** Wraps a custom transport and guarantees the contract: violations become typed errors. */
class GivenTransport implements Transport {
  readonly output: GivenOutput = new GivenOutput('output', () => this.#given.output);
  readonly errorOutput: GivenOutput = new GivenOutput('errorOutput', () => this.#given.errorOutput);
  readonly #exited = new Deferred<ExitReport>();
  readonly exited: Promise<ExitReport> = this.#exited.promise;
  /** Every access is checked, or happens where it may throw. */
  readonly #given: Partial<Transport>;
  readonly #problem: string | undefined;
  #follows = false;

  constructor(given: unknown) {
    this.#problem = problemOf(given);
    this.#given = this.#problem === undefined ? (given as Transport) : {};
    this.#follow();
  }

  get pid(): number | undefined {
    let pid: unknown;
    safely(() => {
      pid = this.#given.pid;
    });
    return typeof pid === 'number' ? pid : undefined;
  }

  async start(request: StartRequest): Promise<void> {
    try {
      if (this.#problem !== undefined) throw adapterFailure('transport', this.#problem);
      await this.#given.start?.(request);
      if (!this.#follow()) throw adapterFailure('transport', 'provided a transport whose `exited` is not a promise');
    } catch (cause) {
      // The transport may have started a process before it failed.
      this.signal('kill');
      const error = isCoxswainError(cause) ? cause : startFailure(cause, request);
      this.#exited.resolve({ ...NEVER_STARTED, error });
      throw error;
    }
  }

  async write(text: string): Promise<void> {
    try {
      await this.#given.write?.(text);
    } catch (error) {
      throw isCoxswainError(error)
        ? error
        : new TransportError(`Writing to the CLI failed: ${reasonOf(error)}.`, error);
    }
  }

  async endInput(): Promise<void> {
    await this.#given.endInput?.();
  }

  signal(signal: TransportSignal): void {
    safely(() => this.#given.signal?.(signal));
  }

  unref(): void {
    safely(() => this.#given.unref?.());
  }

  ending(): void {
    safely(() => this.#given.ending?.());
  }

  async destroy(): Promise<void> {
    try {
      await this.#given.destroy?.();
    } catch {
      // A failure to close the pipes does not change how the CLI ended.
    }
  }

  /** Waits for the exit. Returns false if `exited` is not a promise yet: a transport may create it in `start`. */
  #follow(): boolean {
    safely(() => {
      const { exited } = this.#given;
      if (this.#follows || !isThenable(exited)) return;
      this.#follows = true;
      Promise.resolve(exited).then(
        (report) => this.#exited.resolve(checkedReport(report)),
        (reason) => {
          // The process may still be running.
          this.signal('kill');
          this.#exited.resolve(lostExit(`\`exited\` rejected: ${reasonOf(reason)}`, reason));
        },
      );
    });
    return this.#follows;
  }
}

function problemOf(given: unknown): string | undefined {
  const missing = methodsMissing(given, 'start', 'write', 'endInput', 'signal');
  return missing && `provided ${missing}, not a transport`;
}

function startFailure(cause: unknown, { argv: [path = ''] }: StartRequest): SpawnError {
  const message = `The transport could not start ${path}: ${reasonOf(cause)}. Check the option transport.`;
  return new SpawnError(message, { reason: 'adapter', path, cause });
}

/** Completes an exit report; a caller in JavaScript may omit parts. */
function checkedReport(report: unknown): ExitReport {
  if (typeof report !== 'object' || report === null) return lostExit('`exited` resolved without a report');
  const { exitCode = null, signal = null, ended, error }: Readonly<Record<string, unknown>> = { ...report };
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    signal: typeof signal === 'string' ? signal : null,
    ended: STRENGTH.find((known) => known === ended) ?? 'by-itself',
    ...(error instanceof Error && { error }),
  };
}

function lostExit(how: string, cause?: unknown): ExitReport {
  const error = new TransportError(`The transport does not report how the CLI ended: ${how}.`, cause);
  return { ...NEVER_STARTED, error };
}
