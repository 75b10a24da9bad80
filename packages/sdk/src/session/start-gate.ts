/** One start's place at the gate. */
export interface Place {
  /** Resolves when it is its turn, or when it was given up; absent when that is now. */
  readonly admitted: Promise<void> | undefined;
  /** The start is over, however it went. */
  leave(): void;
  /** Leaves if it still waits. */
  giveUp(): void;
}

/** Lets only some starts run at a time, first come, first served: many at once would slow each other into timeouts. */
export class StartGate {
  #running = 0;
  readonly #waiting: QueuedPlace[] = [];

  enter(limit: number): Place {
    const waits = this.#running >= limit;
    const place = new QueuedPlace(waits, () => this.#left(place));
    if (waits) this.#waiting.push(place);
    else this.#running++;
    return place;
  }

  #left(place: QueuedPlace): void {
    const at = this.#waiting.indexOf(place);
    if (at !== -1) {
      this.#waiting.splice(at, 1);
      place.admit();
      return;
    }
    const next = this.#waiting.shift();
    if (next) next.admit();
    else this.#running--;
  }
}

class QueuedPlace implements Place {
  readonly admitted: Promise<void> | undefined;
  readonly #onLeave: () => void;
  #resolve: (() => void) | undefined;
  #left = false;

  constructor(waits: boolean, onLeave: () => void) {
    this.#onLeave = onLeave;
    if (!waits) return;
    this.admitted = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  admit(): void {
    this.#resolve?.();
    this.#resolve = undefined;
  }

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#onLeave();
  }

  giveUp(): void {
    if (this.#resolve) this.leave();
  }
}
