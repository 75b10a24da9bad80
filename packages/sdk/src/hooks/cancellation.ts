import type { CallbackContext } from './events.ts';

/** What a callback gets beside its input. The signal is made when somebody asks for it: most callbacks never do. */
export class CancellableContext implements CallbackContext {
  readonly sessionId: string | undefined;
  readonly toolUseId: string | undefined;
  #controller: AbortController | undefined;
  #reason: string | undefined;

  constructor(sessionId: string | undefined, toolUseId: string | undefined) {
    this.sessionId = sessionId;
    this.toolUseId = toolUseId;
  }

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

function aborted(reason: string): DOMException {
  return new DOMException(reason, 'AbortError');
}
