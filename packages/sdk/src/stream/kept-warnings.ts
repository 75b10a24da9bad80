import { type Warning, warning } from '../warnings/warning.ts';
import { ITEM_BYTES, jsonSize, Queue } from './queue.ts';

/** How many warnings are kept from the start, and how much they, and the newest ones, may weigh. */
const MOST_FIRST = 100;
const FIRST_BYTES = 1024 * 1024;
const NEWEST_BYTES = 1024 * 1024;

/** The warnings of a query: the first ones and the newest ones, and between them one that says how many are missing. */
export class KeptWarnings {
  readonly #first: Warning[] = [];
  readonly #newest = new Queue<Warning>(NEWEST_BYTES);
  #firstBytes = 0;
  #dropped = 0;

  get list(): readonly Warning[] {
    return [...this.#first, ...this.#missing(), ...this.#newest.items()];
  }

  add(given: Warning): void {
    const bytes = jsonSize(given) + ITEM_BYTES;
    const isFirst = this.#newest.length === 0 && this.#first.length < MOST_FIRST;
    if (!isFirst || this.#firstBytes + bytes > FIRST_BYTES) {
      this.#dropped += this.#newest.push(given, bytes);
    } else {
      this.#first.push(given);
      this.#firstBytes += bytes;
    }
  }

  #missing(): Warning[] {
    if (this.#dropped === 0) return [];
    const message = `${this.#dropped} warnings are missing here, because more came than are kept. onWarning got all of them.`;
    return [warning('warnings-dropped', message, { dropped: this.#dropped })];
  }
}
