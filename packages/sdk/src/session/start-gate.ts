// Not the global function, which fake timers may have replaced: sessions would never start.
import { setImmediate } from 'node:timers';

/** How many starts begin in one iteration of the event loop: a `spawn` blocks it for a millisecond. */
const STARTS_AT_ONCE = 16;

/** Limits how many starts run at a time, first come, first served: many at once would slow each other into timeouts. */
export class StartGate {
  readonly #usual: number;
  readonly #waiting: Place[] = [];
  #running = 0;
  #opening = false;

  constructor(usual: number) {
    this.#usual = usual;
  }

  /** @param limit how many may run at once with this one; 0 means the usual number */
  enter(limit: number): Place {
    const place: Place = new Place(limit || this.#usual, () => this.#left(place));
    this.#waiting.push(place);
    this.#open();
    return place;
  }

  #left(place: Place): void {
    if (place.started) this.#running--;
    else this.#waiting.splice(this.#waiting.indexOf(place), 1);
    this.#open();
  }

  #open(): void {
    if (this.#opening || this.#waiting.length === 0) return;
    this.#opening = true;
    setImmediate(() => this.#admit());
  }

  #admit(): void {
    this.#opening = false;
    for (let admitted = 0; admitted < STARTS_AT_ONCE; admitted++) {
      const next = this.#waiting.find(({ limit }) => this.#running < limit);
      if (!next) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#running++;
      next.start();
    }
    this.#open();
  }
}

/** The place of one start in the queue. */
export class Place {
  readonly limit: number;
  /** Resolves when the start may begin, or has left the queue. */
  readonly admitted: Promise<void>;
  started = false;
  readonly #onLeave: () => void;
  #resolve = (): void => {};
  #left = false;

  constructor(limit: number, onLeave: () => void) {
    this.limit = limit;
    this.#onLeave = onLeave;
    this.admitted = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  start(): void {
    this.started = true;
    this.#resolve();
  }

  /** The start is over, or was given up. Only the first call counts. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#resolve();
    this.#onLeave();
  }
}
