import { currentContext } from '../stream/async-context.ts';

/** Something that is still being loaded. What is asked of it waits, and is done in that order the moment it is there. */
export class Late<S extends object> {
  /** It, as soon as it is there. */
  now: S | undefined;
  #failure: Error | undefined;
  #waiting: { take(it: S): void; fail(error: Error): void }[] = [];

  /** What `load` brings, made into something by `make`. */
  static of<L, S extends object>(load: Promise<L>, make: (loaded: L) => S): Late<S> {
    const late = new Late<S>();
    load.then((loaded) => late.#arrive(make(loaded))).catch((error: Error) => late.#fail(error));
    return late;
  }

  /** Asks it, now or when it is there. Nobody has to wait for the answer: it may fail unseen. */
  ask<R>(question: (it: S) => Promise<R>): Promise<R> {
    if (this.now) return question(this.now);
    const answer = new Promise<R>((resolve, reject) => {
      // One that throws at once fails by itself: whoever waits behind it is asked all the same.
      this.#wait((it) => resolve(new Promise<R>((settle) => settle(question(it)))), reject);
    });
    answer.catch(() => {});
    return answer;
  }

  /** Something that it will give. */
  part<P extends object>(give: (it: S) => P): Late<P> {
    const part = new Late<P>();
    this.#wait(
      (it) => {
        try {
          part.#arrive(give(it));
        } catch (error) {
          part.#fail(error as Error); // What gives it throws nothing else.
        }
      },
      (error) => part.#fail(error),
    );
    return part;
  }

  #wait(take: (it: S) => void, fail: (error: Error) => void): void {
    if (this.#failure) return fail(this.#failure);
    // Whatever is called back must find the async context of whoever asked.
    const inContext = currentContext();
    this.#waiting.push({ take: (it) => inContext(() => take(it)), fail });
  }

  #arrive(it: S): void {
    this.now = it;
    for (const { take } of this.#waiting.splice(0)) take(it);
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }
}
