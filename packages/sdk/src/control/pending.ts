import { steadyNow } from '../clock.ts';
import { ControlRequestError, ControlTimeoutError, TooManyPendingRequestsError } from '../errors/session.ts';
import { AbortError } from '../errors/stream.ts';
import { LONGEST_TIMER_MS } from '../limits.ts';
import { onAbort } from '../timing/caller.ts';
import type { ControlAnswer } from './router.ts';

/** How long to wait for the answer to one control request. */
export interface RequestOptions {
  /** Default: `limits.controlTimeoutMs`. @throws ControlTimeoutError */
  readonly timeoutMs?: number | undefined;
  /** Aborting it withdraws the request. @throws AbortError */
  readonly signal?: AbortSignal | undefined;
}

/** One request and how long to wait for its answer. */
export interface RequestTerms {
  /** The subtype. */
  readonly kind: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request that waits for its answer. */
export interface WaitingRequest {
  readonly id: string;
  readonly kind: string;
  /** When it was sent, on the clock of `steadyNow`. */
  readonly since: number;
}

/** Called when a caller stops waiting for an answer. */
export interface PendingListener {
  aborted(id: string): void;
  timedOut(id: string, terms: RequestTerms): void;
}

/** The requests that wait for the CLI's answer. Each is settled exactly once. */
export class PendingRequests {
  readonly #entries = new Map<string, Entry>();
  readonly #limit: number;
  readonly #listener: PendingListener;
  #next = 1;

  constructor(limit: number, listener: PendingListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  /**
   * Registers a request, then sends it.
   * @throws TooManyPendingRequestsError, ControlTimeoutError, ControlRequestError, AbortError, what `send` throws
   */
  async open(terms: RequestTerms, send: (id: string) => Promise<void>): Promise<unknown> {
    const { signal } = terms;
    if (signal?.aborted) throw new AbortError(signal.reason);
    if (this.#entries.size >= this.#limit) throw new TooManyPendingRequestsError(this.#limit);
    const entry = new Entry(`req_${this.#next++}`, terms, () => this.#listener.timedOut(entry.id, terms));
    this.#entries.set(entry.id, entry);
    const forget = onAbort(signal, () => {
      entry.reject(new AbortError(signal?.reason));
      this.#listener.aborted(entry.id);
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

  /** Settles the request with this id; false when no request waits under it. */
  settle(id: string, answer: ControlAnswer): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    // Removed at once: a second answer may be in the same chunk.
    this.#entries.delete(id);
    if (answer.ok) entry.resolve(answer.body);
    else entry.reject(new ControlRequestError(entry.terms.kind, answer.error, answer.errorCode));
    return true;
  }

  /** The CLI reports progress: the timeout starts again. */
  progress(id: string): void {
    this.#entries.get(id)?.arm();
  }

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

/** What a promise settles with, or `AbortError` when the signal is aborted first. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) throw new AbortError(signal.reason);
  let forget = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => reject(new AbortError(signal.reason)));
  });
  return Promise.race([promise, aborted]).finally(forget);
}

class Entry {
  readonly id: string;
  readonly terms: RequestTerms;
  readonly since: number = steadyNow();
  readonly promise: Promise<unknown>;
  resolve: (body: unknown) => void = () => {};
  reject: (error: Error) => void = () => {};
  readonly #onTimeout: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, terms: RequestTerms, onTimeout: () => void) {
    this.id = id;
    this.terms = terms;
    this.#onTimeout = onTimeout;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.arm();
  }

  arm(): void {
    const { kind, timeoutMs } = this.terms;
    clearTimeout(this.#timer);
    const expire = (): void => {
      this.reject(new ControlTimeoutError(kind, this.id, timeoutMs));
      this.#onTimeout();
    };
    this.#timer = setTimeout(expire, Math.min(timeoutMs, LONGEST_TIMER_MS));
  }

  disarm(): void {
    clearTimeout(this.#timer);
  }
}
