// Not the global function, which fake timers may have replaced: sessions would never start.
import { setImmediate } from 'node:timers';

/** A start that takes longer is that of a real CLI, which takes several times as long even on a fast machine. */
const QUICK_MS = 100;

/** How many starts begin in one iteration of the event loop: a `spawn` blocks it for a millisecond. */
const STARTS_AT_ONCE = 16;

/**
 * Limits how many starts run at a time, first come, first served: many at once would slow each other into timeouts. Without
 * a limit of the caller it begins with the usual one and admits two for each quick start, until one is not quick.
 */
export class StartGate {
  readonly #usual: number;
  readonly #now: () => number;
  readonly #waiting: Place[] = [];
  #running = 0;
  #beyondUsual = 0;
  #opening = false;

  constructor(usual: number, now = (): number => performance.now()) {
    this.#usual = usual;
    this.#now = now;
  }

  /** @param limit how many may run at once with this one; 0 leaves it to the gate */
  enter(limit: number): Place {
    const place: Place = new Place(limit, (since, started) => this.#left(place, since, started));
    this.#waiting.push(place);
    this.#open();
    return place;
  }

  #left(place: Place, since: number | undefined, started: boolean): void {
    if (since === undefined) {
      this.#waiting.splice(this.#waiting.indexOf(place), 1);
    } else {
      this.#running--;
      if (this.#now() - since > QUICK_MS) this.#beyondUsual = 0;
      else if (started) this.#beyondUsual++;
    }
    this.#open();
  }

  /** In an iteration apart, so that starts that are admitted together also run together. */
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

  /** The first place, or when it has to wait, the first whose own limit allows it. */
  #takeNext(): Place | undefined {
    const [first] = this.#waiting;
    const fits = first !== undefined && this.#running < (first.limit || this.#usual + this.#beyondUsual);
    const at = fits ? 0 : this.#waiting.findIndex(({ limit }) => this.#running < limit);
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }
}

/** `since` is when the start was admitted, if it was. */
type OnLeave = (since: number | undefined, started: boolean) => void;

/** The place of one start in the queue. */
export class Place {
  readonly limit: number;
  /** Resolves when the start may begin, or was given up. */
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

  /** The start is over; `started` when the CLI runs. Only the first call counts. */
  leave(started = false): void {
    if (this.#left) return;
    this.#left = true;
    this.#resolve();
    this.#onLeave(this.#since, started);
  }

  /** Leaves if the start still waits. */
  giveUp(): void {
    if (this.#since === undefined) this.leave();
  }
}
