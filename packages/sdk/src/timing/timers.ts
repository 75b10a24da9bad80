import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';

/** Named timers of one owner: setting one again replaces it, `clear()` ends all. */
export class Timers<Name extends string> {
  readonly #timers = new Map<Name, NodeJS.Timeout>();

  set(name: Name, ms: number, run: () => void): void {
    this.clear(name);
    const onTime = (): void => {
      this.#timers.delete(name);
      run();
    };
    this.#timers.set(name, setTimeout(onTime, Math.min(ms, LONGEST_TIMER_MS)));
  }

  has(name: Name): boolean {
    return this.#timers.has(name);
  }

  clear(name?: Name): void {
    for (const [key, timer] of this.#timers) {
      if (name !== undefined && key !== name) continue;
      clearTimeout(timer);
      this.#timers.delete(key);
    }
  }
}

/**
 * What a promise resolves to, or `undefined` when it takes longer than `ms`. Holds the host meanwhile, unless `unref` is
 * set. @throws what the promise rejects with
 */
export function within<T>(
  ms: number,
  promise: Promise<T>,
  options: { readonly unref?: boolean } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    // Node 24 warns about a negative time, which a countdown to a moment in the past gives.
    const timer = setTimeout(resolve, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS), undefined);
    if (options.unref) timer.unref();
    // A custom transport may return a plain value.
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/** True for a promise, also one of another realm, and for what a caller awaits like one. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** A promise that its owner resolves. */
export class Deferred<T> {
  resolve: (value: T) => void = () => {};
  reject: (error: Error) => void = () => {};
  readonly promise: Promise<T> = new Promise((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

/** Keeps the Node process alive until the promise settles: a CLI that is being ended does not keep it alive. */
export function keepingProcessAlive<A>(promise: Promise<A>): Promise<A> {
  const hold = setInterval(() => {}, 2 ** 30);
  return promise.finally(() => clearInterval(hold));
}
