import { steadyNow } from '../clock.ts';
import { ControlRequestError, ControlTimeoutError, TooManyPendingRequestsError } from '../errors/session.ts';
import type { Redactor } from '../redact.ts';
import { abortError, onAbort } from '../timing/caller.ts';
import { Timers } from '../timing/timers.ts';
import type { ControlAnswer } from './router.ts';

/** Limits of the wait for the answer to one control request. */
export interface RequestOptions {
  /** Counted from the call. Default: `limits.controlTimeoutMs`, counted from sending. @throws ControlTimeoutError */
  readonly timeoutMs?: number | undefined;
  /** Aborting ends the wait and, if the request was sent, asks the CLI to cancel it. @throws AbortError */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a request of the SDK itself. */
export interface OwnRequestOptions extends RequestOptions {
  /** Called with a successful answer when it arrives, before the frames after it are handled. */
  readonly onAnswer?: ((body: unknown) => void) | undefined;
}

/** One request and the limits of its wait. */
export interface RequestTerms extends OwnRequestOptions {
  readonly kind: string;
  /** Maximum time without an answer or progress. */
  readonly timeoutMs: number;
  /** Maximum time for the answer in total. */
  readonly totalMs: number;
}

export interface WaitingRequest {
  readonly id: string;
  readonly kind: string;
  /** The time of sending, in `steadyNow()` milliseconds. */
  readonly since: number;
}

/** Called when a caller stops waiting for an answer. */
export interface PendingListener {
  /** Removes secrets from errors. */
  readonly redact?: Redactor;
  aborted(id: string): void;
  /** `ms` is the expired timeout. */
  timedOut(id: string, kind: string, ms: number): void;
}

interface Entry extends WaitingRequest, Pick<RequestTerms, 'onAnswer'> {
  resolve(body: unknown): void;
  reject(error: Error): void;
  arm(): void;
}

/** The requests that wait for the CLI's answer. Each settles exactly once. */
export class PendingRequests {
  readonly #entries = new Map<string, Entry>();
  readonly #timers = new Timers<string>();
  readonly #limit: number;
  readonly #listener: PendingListener;
  #next = 1;

  constructor(limit: number, listener: PendingListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  /**
   * Registers a request, then sends it.
   * @throws TooManyPendingRequestsError, ControlTimeoutError, ControlRequestError, AbortError, and the errors of `send`
   */
  async open(terms: RequestTerms, send: (id: string) => Promise<void>): Promise<unknown> {
    const { kind, timeoutMs, totalMs, signal, onAnswer } = terms;
    if (signal?.aborted) throw abortError(signal, this.#listener.redact);
    if (this.#entries.size >= this.#limit) throw new TooManyPendingRequestsError(this.#limit);
    const id = `req_${this.#next++}`;
    let forget = (): void => {};
    try {
      return await new Promise((resolve, reject) => {
        const since = steadyNow();
        const arm = (): void => {
          const left = since + totalMs - steadyNow();
          this.#timers.set(id, Math.min(timeoutMs, left), () => {
            const ms = left < timeoutMs ? totalMs : timeoutMs;
            reject(new ControlTimeoutError(kind, id, ms));
            this.#listener.timedOut(id, kind, ms);
          });
        };
        this.#entries.set(id, { id, kind, since, onAnswer, resolve, reject, arm });
        arm();
        forget = onAbort(signal, () => {
          reject(abortError(signal, this.#listener.redact));
          this.#listener.aborted(id);
        });
        send(id).catch(reject);
      });
    } finally {
      this.#timers.clear(id);
      forget();
      this.#entries.delete(id);
    }
  }

  /** Settles the request with this id. Returns false if there is no such request. */
  settle(id: string, answer: ControlAnswer): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    // Remove it now: the same chunk may contain a second answer.
    this.#entries.delete(id);
    if (answer.ok) {
      entry.onAnswer?.(answer.body);
      entry.resolve(answer.body);
    } else entry.reject(new ControlRequestError(entry.kind, answer.error, answer.errorCode));
    return true;
  }

  /** Restarts the timeout after progress of the CLI, within the total time. */
  progress(id: string): void {
    this.#entries.get(id)?.arm();
  }

  failAll(why: () => Error): void {
    for (const entry of this.#entries.values()) entry.reject(why());
    this.#entries.clear();
  }

  list(): readonly WaitingRequest[] {
    return [...this.#entries.values()].map(({ id, kind, since }) => ({ id, kind, since }));
  }
}

/**
 * Settles like a promise, unless the caller's signal or timeout ends the wait first.
 * @throws AbortError, ControlTimeoutError
 */
export async function unlessGivenUp<T>(promise: Promise<T>, kind: string, options: RequestOptions): Promise<T> {
  promise.catch(() => {}); // It may reject after the caller has given up.
  const { timeoutMs, signal } = options;
  if (signal?.aborted) throw abortError(signal);
  const timers = new Timers<'wait'>();
  let forget = (): void => {};
  const givenUp = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => reject(abortError(signal)));
    if (timeoutMs === undefined) return;
    timers.set('wait', timeoutMs, () => reject(new ControlTimeoutError(kind, undefined, timeoutMs)));
  });
  return Promise.race([promise, givenUp]).finally(() => {
    forget();
    timers.clear();
  });
}

/** Reduces the caller's timeout by the time since the call at `since`. */
export function remaining<T extends RequestOptions>(options: T, since: number): T {
  const { timeoutMs } = options;
  return timeoutMs === undefined ? options : { ...options, timeoutMs: Math.max(1, timeoutMs - (steadyNow() - since)) };
}
