import type { CallbackContext } from './events.ts';

/** The abort of one callback. The signal is made when somebody asks for it: most callbacks never do. */
export class Cancellation {
  #controller: AbortController | undefined;
  #reason: string | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(aborted(this.#reason));
    }
    return this.#controller.signal;
  }

  abort(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(aborted(reason));
  }
}

/** What a callback gets beside its input. */
export class LazyContext implements CallbackContext {
  readonly sessionId: string | undefined;
  readonly toolUseId: string | undefined;
  readonly #cancellation: Cancellation;

  constructor(sessionId: string | undefined, toolUseId: string | undefined, cancellation: Cancellation) {
    this.sessionId = sessionId;
    this.toolUseId = toolUseId;
    this.#cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }
}

function aborted(reason: string): DOMException {
  return new DOMException(reason, 'AbortError');
}
