import type { CallbackAnswer } from '../../src/callbacks/callback-request.ts';

/** The answer to a request: `undefined` if the CLI cancelled it, a promise while it is open. */
export type Reply = CallbackAnswer | undefined | Promise<CallbackAnswer | undefined>;

/** Collects the answers of a dispatcher. Throws if it answers a request twice. */
export class Replies {
  readonly #settled = new Map<string, CallbackAnswer | undefined>();
  readonly #open = new Map<string, (answer: CallbackAnswer | undefined) => void>();

  settle(id: string, answer: CallbackAnswer | undefined): void {
    if (this.#settled.has(id)) throw new Error(`${id} was answered twice`);
    this.#settled.set(id, answer);
    this.#open.get(id)?.(answer);
  }

  /** Makes a request. Returns its answer, or a promise if the answer is not available immediately. */
  to(id: string, request: () => void): Reply {
    request();
    if (this.#settled.has(id)) return this.#settled.get(id);
    return new Promise((resolve) => {
      if (!this.#open.has(id)) this.#open.set(id, resolve);
    });
  }
}

/** A promise that the test settles. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** The settled value, or `'pending'` if there is none after all microtasks have run. */
export async function settledSoon<T>(reply: T | Promise<T>): Promise<T | 'pending'> {
  let seen: T | 'pending' = 'pending';
  Promise.resolve(reply).then(
    (value) => {
      seen = value;
    },
    () => {},
  );
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  return seen;
}
