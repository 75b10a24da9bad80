import { LONGEST_TIMER_MS } from '../limits.ts';

/** Something that must be over by some time. */
export interface Dated {
  /** On the clock the deadlines were given. */
  readonly deadline: number;
}

/**
 * Many deadlines on one timer. It is set for the earliest and left alone when that one is met in time, so that a
 * callback which answers quickly costs no timer at all.
 */
export class Deadlines<Item extends Dated> {
  readonly #now: () => number;
  readonly #expire: (item: Item) => void;
  readonly #items = new Set<Item>();
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;

  constructor(now: () => number, expire: (item: Item) => void) {
    this.#now = now;
    this.#expire = expire;
  }

  add(item: Item): void {
    if (item.deadline === Number.POSITIVE_INFINITY) return;
    this.#items.add(item);
    if (item.deadline < this.#firesAt) this.#set(item.deadline);
  }

  delete(item: Item): void {
    this.#items.delete(item);
  }

  clear(): void {
    this.#items.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
  }

  #set(at: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = at;
    const delay = Math.min(Math.max(Math.ceil(at - this.#now()), 1), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.#sweep(), delay);
    // The CLI's process keeps the host alive while there is one; a deadline alone must not.
    this.#timer.unref();
  }

  #sweep(): void {
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
    const now = this.#now();
    const late = [...this.#items].filter((item) => item.deadline <= now);
    for (const item of late) {
      this.#items.delete(item);
      this.#expire(item);
    }
    let next = Number.POSITIVE_INFINITY;
    for (const item of this.#items) next = Math.min(next, item.deadline);
    if (next < this.#firesAt) this.#set(next);
  }
}
