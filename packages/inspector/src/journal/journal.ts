import { randomBytes } from 'node:crypto';
import type { Cursor, ServerEvent } from '../api.ts';

/** A change. Except for `event`, it holds only a reference, so that even a late reader gets the newest state. */
export type Change =
  | { readonly what: 'conversation'; readonly id: string }
  | { readonly what: 'entry'; readonly id: string; readonly n: number }
  /** More text in a streaming entry. */
  | { readonly what: 'growth'; readonly id: string; readonly n: number }
  | { readonly what: 'turn'; readonly id: string; readonly turn: string }
  /** Sent unchanged; an event with an `id` goes only to readers that watch this conversation. */
  | { readonly what: 'event'; readonly id: string | null; readonly event: ServerEvent };

/** A change and its number. */
export interface NumberedChange {
  readonly seq: number;
  readonly change: Change;
}

/** Number of changes kept for readers that reconnect. */
const KEPT = 20_000;

/**
 * The numbered changes of everything the inspector shows. It keeps the newest change of each thing, up to a limit;
 * a reader that missed more starts again from a snapshot. Readers have no queues, so a slow reader uses no memory.
 */
export class Journal {
  readonly #kept: number;
  /** Distinguishes the numbers of this server from those of an earlier one. */
  readonly #boot = randomBytes(6).toString('base64url');
  #slots: (NumberedChange & { stale: boolean })[] = [];
  readonly #newest = new Map<string, { stale: boolean }>();
  #stale = 0;
  #seq = 0;
  /** Changes up to this number were dropped. */
  #floor = 0;
  readonly #readers = new Set<() => void>();

  constructor(kept: number = KEPT) {
    this.#kept = kept;
  }

  get seq(): number {
    return this.#seq;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  cursorAt(seq: number): Cursor {
    return `${this.#boot}.${seq}`;
  }

  /** The number in a cursor; undefined if the cursor is from another server or too old. */
  position(cursor: Cursor | undefined): number | undefined {
    const [boot, digits = ''] = (cursor ?? '').split('.');
    const seq = Number(digits);
    if (boot !== this.#boot || !/^\d{1,15}$/.test(digits) || seq < this.#floor || seq > this.#seq) return undefined;
    return seq;
  }

  note(change: Change): void {
    this.#seq += 1;
    const slot = { seq: this.#seq, change, stale: false };
    const key = keyOf(change);
    if (key !== undefined) {
      const before = this.#newest.get(key);
      if (before) {
        before.stale = true;
        this.#stale += 1;
      }
      this.#newest.set(key, slot);
    }
    this.#slots.push(slot);
    if (this.#slots.length > 2 * this.#kept || this.#stale > Math.max(1_000, this.#slots.length / 2)) this.#tidy();
    for (const wake of this.#readers) wake();
  }

  /** At most `limit` changes after a number, in order; undefined if some of them were dropped. */
  after(seq: number, limit: number): readonly NumberedChange[] | undefined {
    if (seq < this.#floor) return undefined;
    const found: NumberedChange[] = [];
    for (let at = this.#indexAfter(seq); at < this.#slots.length && found.length < limit; at += 1) {
      const slot = this.#slots[at];
      if (slot && !slot.stale) found.push(slot);
    }
    return found;
  }

  /** Calls `wake` on every change until the returned function is called. */
  listen(wake: () => void): () => void {
    this.#readers.add(wake);
    return () => this.#readers.delete(wake);
  }

  #indexAfter(seq: number): number {
    let [low, high] = [0, this.#slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#slots[middle]?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #tidy(): void {
    const slots = this.#slots.filter(({ stale }) => !stale);
    const dropped = slots.splice(0, Math.max(0, slots.length - this.#kept));
    for (const { seq, change } of dropped) {
      this.#floor = seq;
      const key = keyOf(change);
      if (key !== undefined) this.#newest.delete(key);
    }
    this.#slots = slots;
    this.#stale = 0;
  }
}

function keyOf(change: Change): string | undefined {
  switch (change.what) {
    case 'conversation':
      return `c ${change.id}`;
    case 'entry':
    case 'growth':
      return `${change.what} ${change.id} ${change.n}`;
    case 'turn':
      return `t ${change.id} ${change.turn}`;
    case 'event':
      // Only the newest of these is needed.
      return change.event.type === 'stats-changed' || change.event.type === 'queues-changed'
        ? change.event.type
        : undefined;
  }
}
