import { AMOUNT, CALLBACK } from '@coxswain/shared/option-kinds';
import { checkArgument, checkOptions } from '../check-options.ts';
import type { ApiRequest } from './request.ts';

/** Options of a wait. */
export interface WaitOptions {
  readonly timeoutMs?: number;
}

/** The requests so far, and the callers that wait for further ones. */
export class RequestLog {
  readonly requests: ApiRequest[] = [];
  readonly #keep: number;
  #arrived = 0;
  readonly #waiting = new Set<Waiter>();
  #closed = false;

  /** Keeps the newest `keep` requests. */
  constructor(keep: number = Number.POSITIVE_INFINITY) {
    this.#keep = keep;
  }

  /** The number of the next request. */
  get next(): number {
    return this.#arrived + 1;
  }

  add(request: ApiRequest): void {
    this.#arrived += 1;
    this.requests.push(request);
    if (this.requests.length > this.#keep) this.requests.shift();
    for (const waiter of this.#waiting) {
      if (waiter.fits(request)) this.#settle(waiter, request);
    }
  }

  waitFor(fits: (request: ApiRequest) => boolean, options: WaitOptions = {}): Promise<ApiRequest> {
    checkArgument('waitForRequest(fits)', fits, CALLBACK);
    checkOptions('waitForRequest()', options, { timeoutMs: AMOUNT });
    const { timeoutMs = 10_000 } = options;
    const found = this.requests.find(fits);
    if (found !== undefined) return Promise.resolve(found);
    if (this.#closed) return Promise.reject(this.#failure('the server is closed'));
    return new Promise((resolve, reject) => {
      const fail = (): void => this.#settle(waiter, this.#failure(`none came within ${timeoutMs} ms`));
      const waiter: Waiter = { fits, resolve, reject, timer: setTimeout(fail, timeoutMs) };
      this.#waiting.add(waiter);
    });
  }

  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiting) this.#settle(waiter, this.#failure('the server was closed'));
  }

  #settle(waiter: Waiter, outcome: ApiRequest | Error): void {
    clearTimeout(waiter.timer);
    this.#waiting.delete(waiter);
    if (outcome instanceof Error) waiter.reject(outcome);
    else waiter.resolve(outcome);
  }

  #failure(why: string): Error {
    const seen = this.requests.map((request) => `${request.method} ${request.path} (${request.kind})`);
    return new Error(`No request fits: ${why}. Seen: ${seen.join(', ') || 'none'}.`);
  }
}

interface Waiter {
  readonly fits: (request: ApiRequest) => boolean;
  readonly resolve: (request: ApiRequest) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}
