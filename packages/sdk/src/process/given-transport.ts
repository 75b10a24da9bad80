import { isCoxswainError, reasonOf } from '../errors/base.ts';
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

/** The transport that the caller gave, or creates now. @throws SpawnError when it cannot be created */
export function givenTransport(option: Transport | (() => Transport)): Transport {
  if (typeof option !== 'function') return new GivenTransport(option);
  try {
    return new GivenTransport(option());
  } catch (error) {
    throw isCoxswainError(error) ? error : adapterFailure('transport', `failed: ${reasonOf(error)}`, error);
  }
}

/** A transport of the caller. Whatever it does, this one keeps the contract: what it breaks becomes a typed error. */
class GivenTransport implements Transport {
  readonly output: GivenOutput = new GivenOutput('output', () => this.#given.output);
  readonly errorOutput: GivenOutput = new GivenOutput('errorOutput', () => this.#given.errorOutput);
  readonly #exited = new Deferred<ExitReport>();
  readonly exited: Promise<ExitReport> = this.#exited.promise;
  /** Every access is checked, or is made where it may throw. */
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
      if (!this.#follow()) throw adapterFailure('transport', 'gave a transport whose `exited` is not a promise');
    } catch (cause) {
      // It may have started something before it failed.
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
      // How its pipes are closed does not change how the CLI has ended.
    }
  }

  /** Waits for the exit; false while there is nothing to wait for, as a transport may have until its start. */
  #follow(): boolean {
    safely(() => {
      const { exited } = this.#given;
      if (this.#follows || !isThenable(exited)) return;
      this.#follows = true;
      Promise.resolve(exited).then(
        (report) => this.#exited.resolve(checkedReport(report)),
        (reason) => {
          // Whether it still runs is unknown.
          this.signal('kill');
          this.#exited.resolve(lost(`\`exited\` rejected: ${reasonOf(reason)}`, reason));
        },
      );
    });
    return this.#follows;
  }
}

function problemOf(given: unknown): string | undefined {
  const missing = methodsMissing(given, 'start', 'write', 'endInput', 'signal');
  return missing && `gave ${missing}, not a transport`;
}

function startFailure(cause: unknown, { argv: [path = ''] }: StartRequest): SpawnError {
  const message = `The transport could not start ${path}: ${reasonOf(cause)}. Check the option transport.`;
  return new SpawnError(message, { reason: 'adapter', path, cause });
}

/** The report, of which a caller in JavaScript may have left out parts. */
function checkedReport(report: unknown): ExitReport {
  if (typeof report !== 'object' || report === null) return lost('`exited` resolved without a report');
  const { exitCode = null, signal = null, ended, error }: Readonly<Record<string, unknown>> = { ...report };
  return {
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    signal: typeof signal === 'string' ? signal : null,
    ended: STRENGTH.find((known) => known === ended) ?? 'by-itself',
    ...(error instanceof Error && { error }),
  };
}

function lost(how: string, cause?: unknown): ExitReport {
  const error = new TransportError(`The transport does not report how the CLI ended: ${how}.`, cause);
  return { ...NEVER_STARTED, error };
}
