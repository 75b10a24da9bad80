import { steadyNow } from '../clock.ts';
import { ControlRequestError, ControlTimeoutError, TooManyPendingRequestsError } from '../errors/control.ts';
import { AbortError } from '../errors/stream.ts';
import { onAbort } from '../stream/on-abort.ts';
import type { ControlAnswer } from './router.ts';

/** How one request is to be waited for. */
export interface RequestTerms {
  /** What it is, for messages: the subtype. */
  readonly kind: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a request that waits looks like from outside. */
export interface WaitingRequest {
  readonly id: string;
  readonly kind: string;
  /** When it was sent, on the clock of `steadyNow`. */
  readonly since: number;
}

/** The requests that wait for the CLI's answer. Every entry is settled exactly once, whatever ends the waiting. */
export class PendingRequests {
  readonly #entries = new Map<string, Entry>();
  readonly #limit: number;
  readonly #onAbort: (id: string) => void;
  #next = 1;

  /** `onAbort` is told of a request whose caller does not want the answer any more. */
  constructor(limit: number, onAbort: (id: string) => void) {
    this.#limit = limit;
    this.#onAbort = onAbort;
  }

  /**
   * Registers a request, then has it sent.
   * @throws TooManyPendingRequestsError, ControlTimeoutError, ControlRequestError, AbortError, what `send` throws
   */
  async open(terms: RequestTerms, send: (id: string) => Promise<void>): Promise<unknown> {
    const { signal } = terms;
    if (signal?.aborted) throw new AbortError(signal.reason);
    if (this.#entries.size >= this.#limit) throw new TooManyPendingRequestsError(this.#limit);
    const entry = new Entry(`req_${this.#next++}`, terms);
    this.#entries.set(entry.id, entry);
    const forget = onAbort(signal, () => {
      entry.reject(new AbortError(signal?.reason));
      this.#onAbort(entry.id);
    });
    send(entry.id).catch((error: Error) => entry.reject(error));
    try {
      return await entry.promise;
    } finally {
      entry.disarm();
      forget();
      this.#entries.delete(entry.id);
    }
  }

  /** Hands an answer to whoever waits for it; false when nobody does. */
  settle(id: string, answer: ControlAnswer): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    // Out at once: a second answer may be in the same chunk.
    this.#entries.delete(id);
    if (answer.ok) entry.resolve(answer.body);
    else entry.reject(new ControlRequestError(entry.terms.kind, answer.error, answer.errorCode));
    return true;
  }

  /** The CLI is still at it: its time begins anew. */
  progress(id: string): void {
    this.#entries.get(id)?.arm();
  }

  /** Mostly nothing waits, and then `why` is not asked: an error costs more than the rest of a quiet end. */
  failAll(why: () => Error): void {
    if (this.#entries.size === 0) return;
    const error = why();
    const failed = [...this.#entries.values()];
    this.#entries.clear();
    for (const entry of failed) entry.reject(error);
  }

  list(): readonly WaitingRequest[] {
    return [...this.#entries.values()].map(({ id, terms, since }) => ({ id, kind: terms.kind, since }));
  }
}

class Entry {
  readonly id: string;
  readonly terms: RequestTerms;
  readonly since: number = steadyNow();
  readonly promise: Promise<unknown>;
  resolve: (body: unknown) => void = () => {};
  reject: (error: Error) => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, terms: RequestTerms) {
    this.id = id;
    this.terms = terms;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.arm();
  }

  arm(): void {
    const { kind, timeoutMs } = this.terms;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.reject(new ControlTimeoutError(kind, this.id, timeoutMs)), timeoutMs);
  }

  disarm(): void {
    clearTimeout(this.#timer);
  }
}
