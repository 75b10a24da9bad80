import { steadyNow } from '../clock.ts';
import { ControlRequestError, ControlTimeoutError, TooManyPendingRequestsError } from '../errors/session.ts';
import type { Redactor } from '../redact.ts';
import { abortError, onAbort } from '../timing/caller.ts';
import { Timers } from '../timing/timers.ts';
import type { ControlAnswer } from './router.ts';

/** How long to wait for the answer to one control request. */
export interface RequestOptions {
  /** From the call. Default: `limits.controlTimeoutMs`, from the moment it is sent. @throws ControlTimeoutError */
  readonly timeoutMs?: number | undefined;
  /** Aborting it ends the wait, and asks the CLI to cancel the request if it was sent. @throws AbortError */
  readonly signal?: AbortSignal | undefined;
}

/** One request and how long to wait for its answer. */
export interface RequestTerms extends RequestOptions {
  readonly kind: string;
  /** How long the CLI may neither answer nor report progress. */
  readonly timeoutMs: number;
  /** How long the answer may take in all. */
  readonly totalMs: number;
}

export interface WaitingRequest {
  readonly id: string;
  readonly kind: string;
  /** When it was sent, on the clock of `steadyNow`. */
  readonly since: number;
}

/** Called when a caller stops waiting for an answer. */
export interface PendingListener {
  /** Removes secrets from errors. */
  readonly redact?: Redactor;
  aborted(id: string): void;
  /** `ms` is the time that was over. */
  timedOut(id: string, kind: string, ms: number): void;
}

interface Entry extends WaitingRequest {
  resolve(body: unknown): void;
  reject(error: Error): void;
  arm(): void;
}

/** The requests that wait for the CLI's answer. Each is settled exactly once. */
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
   * @throws TooManyPendingRequestsError, ControlTimeoutError, ControlRequestError, AbortError, what `send` throws
   */
  async open(terms: RequestTerms, send: (id: string) => Promise<void>): Promise<unknown> {
    const { kind, timeoutMs, totalMs, signal } = terms;
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
        this.#entries.set(id, { id, kind, since, resolve, reject, arm });
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

  /** Settles the request with this id; false when no request waits under it. */
  settle(id: string, answer: ControlAnswer): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    // Removed at once: a second answer may be in the same chunk.
    this.#entries.delete(id);
    if (answer.ok) entry.resolve(answer.body);
    else entry.reject(new ControlRequestError(entry.kind, answer.error, answer.errorCode));
    return true;
  }

  /** The CLI reports progress: the timeout starts again, within the time that the answer may take in all. */
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
 * What a promise settles with, unless the caller's signal or timeout ends the wait for it first.
 * @throws AbortError, ControlTimeoutError
 */
export async function unlessGivenUp<T>(promise: Promise<T>, kind: string, options: RequestOptions): Promise<T> {
  promise.catch(() => {}); // It may fail when the caller has given up.
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

/** The options of a request that has waited since `since`: the caller's timeout counts from the call. */
export function remaining(options: RequestOptions, since: number): RequestOptions {
  const { timeoutMs } = options;
  return timeoutMs === undefined ? options : { ...options, timeoutMs: Math.max(1, timeoutMs - (steadyNow() - since)) };
}
