// Not the global one, which a host's fake clock may have replaced: its sessions would never start.
import { setImmediate } from 'node:timers';

/** A start that takes longer is real work. The CLI takes several times as long even on a fast machine. */
const QUICK_MS = 100;

/** How many starts begin in one round of the event loop: a `spawn` holds the host up for a millisecond. */
const STARTS_AT_ONCE = 16;

/** One start's place at the gate. */
export interface Place {
  /** Resolves when it is its turn, or when it was given up. */
  readonly admitted: Promise<void>;
  /** The start is over; `started` when the CLI runs. Only the first call counts. */
  leave(started?: boolean): void;
  /** Leaves if it still waits. */
  giveUp(): void;
}

/**
 * Lets only some starts run at a time, first come, first served: many at once would slow each other into timeouts. Where no
 * number is asked for it begins with the usual one and lets in two for each that was quick, until one is not: 1,000 starts
 * of a CLI that weighs nothing take a sixth less, and a real CLI has the machine to itself as before.
 */
export class StartGate {
  readonly #usual: number;
  readonly #now: () => number;
  readonly #waiting: QueuedPlace[] = [];
  #running = 0;
  #beyondUsual = 0;
  #opening = false;

  constructor(usual: number, now = (): number => performance.now()) {
    this.#usual = usual;
    this.#now = now;
  }

  /** @param limit how many may run at once with this one; 0 leaves it to the gate */
  enter(limit: number): Place {
    const place = new QueuedPlace(limit, (since, started) => this.#left(place, since, started));
    this.#waiting.push(place);
    this.#open();
    return place;
  }

  #left(place: QueuedPlace, since: number | undefined, started: boolean): void {
    if (since === undefined) {
      this.#waiting.splice(this.#waiting.indexOf(place), 1);
    } else {
      this.#running--;
      if (this.#now() - since > QUICK_MS) this.#beyondUsual = 0;
      else if (started) this.#beyondUsual++;
    }
    this.#open();
  }

  /** In a round of its own, so that those who were let in together also run together: their forks find fewer pages changed. */
  #open(): void {
    if (this.#waiting.length === 0) this.#beyondUsual = 0;
    else if (!this.#opening) {
      this.#opening = true;
      setImmediate(() => this.#admit());
    }
  }

  #admit(): void {
    this.#opening = false;
    for (let admitted = 0; admitted < STARTS_AT_ONCE; admitted++) {
      const next = this.#takeNext();
      if (next === undefined) return;
      this.#running++;
      next.admit(this.#now());
    }
    this.#open();
  }

  /** The first, or where there is no room for it the first with a number of its own that has room. */
  #takeNext(): QueuedPlace | undefined {
    const [first] = this.#waiting;
    const fits = first !== undefined && this.#running < (first.limit || this.#usual + this.#beyondUsual);
    const at = fits ? 0 : this.#waiting.findIndex(({ limit }) => this.#running < limit);
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }
}

/** `since` is when it was let in, if it was. */
type OnLeave = (since: number | undefined, started: boolean) => void;

class QueuedPlace implements Place {
  readonly limit: number;
  readonly admitted: Promise<void>;
  readonly #onLeave: OnLeave;
  #resolve = (): void => {};
  #since: number | undefined;
  #left = false;

  constructor(limit: number, onLeave: OnLeave) {
    this.limit = limit;
    this.#onLeave = onLeave;
    this.admitted = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  admit(now: number): void {
    this.#since = now;
    this.#resolve();
  }

  leave(started = false): void {
    if (this.#left) return;
    this.#left = true;
    this.#resolve();
    this.#onLeave(this.#since, started);
  }

  giveUp(): void {
    if (this.#since === undefined) this.leave();
  }
}
