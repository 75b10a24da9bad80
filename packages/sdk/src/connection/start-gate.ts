// Not the global function, which fake timers may have replaced: sessions would never start.
import { setImmediate } from 'node:timers';
import { Deferred } from '../timing/timers.ts';

/** Maximum number of starts in one iteration of the event loop: a `spawn` blocks it for a millisecond. */
const STARTS_AT_ONCE = 16;

/** The place of one start in the queue. */
export interface Place {
  /** Resolves when the start may begin, or has left the queue. */
  readonly admitted: Promise<void>;
  /** The start has ended, or was abandoned. Only the first call counts. */
  leave(): void;
}

/** Limits how many starts run at a time, first come, first served: many concurrent starts would slow each other down until they time out. */
export class StartGate {
  readonly #usual: number;
  /** Each waiting start, and its limit of concurrent starts. */
  readonly #waiting = new Map<() => void, number>();
  #running = 0;
  #opening = false;

  constructor(usual: number) {
    this.#usual = usual;
  }

  /** @param limit the maximum number of concurrent starts, including this one; 0 means the default */
  enter(limit: number): Place {
    let state: 'waiting' | 'running' | 'left' = 'waiting';
    const admitted = new Deferred<void>();
    const begin = (): void => {
      state = 'running';
      admitted.resolve();
    };
    this.#waiting.set(begin, limit || this.#usual);
    this.#open();
    const leave = (): void => {
      this.#waiting.delete(begin);
      if (state === 'running') this.#running--;
      state = 'left';
      admitted.resolve();
      this.#open();
    };
    return { admitted: admitted.promise, leave };
  }

  #open(): void {
    if (this.#opening || this.#waiting.size === 0) return;
    this.#opening = true;
    setImmediate(() => this.#admit());
  }

  #admit(): void {
    this.#opening = false;
    for (let admitted = 0; admitted < STARTS_AT_ONCE; admitted++) {
      const [begin] = [...this.#waiting].find(([, limit]) => this.#running < limit) ?? [];
      if (!begin) return;
      this.#waiting.delete(begin);
      this.#running++;
      begin();
    }
    this.#open();
  }
}
