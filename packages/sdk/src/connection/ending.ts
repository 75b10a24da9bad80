import { SessionStoppedError } from '../errors/session.ts';

/** The end of a connection: one signal to which every part listens, and the reason for it. */
export class Ending {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  #failure: Error | undefined;

  /** True from the moment the connection begins to end. */
  get begun(): boolean {
    return this.signal.aborted;
  }

  /** The first failure; `undefined` for a connection that was closed, or whose CLI exited on its own. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Records why the connection ends. Only the first failure counts. */
  blame(failure: Error | undefined): void {
    this.#failure ??= failure;
  }

  /** Aborts the signal. */
  begin(): void {
    this.#controller.abort(this.#failure);
  }

  /** The error for operations that the end prevents. */
  stopped(what: string): SessionStoppedError {
    return new SessionStoppedError(what, this.#failure);
  }
}
