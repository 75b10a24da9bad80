import { type Warning, warning } from '../warnings/warning.ts';
import { ITEM_BYTES, jsonSize, Queue } from './queue.ts';

/** Maximum number of warnings kept from the start, and the maximum size of these and of the newest ones. */
const MOST_FIRST = 100;
const FIRST_BYTES = 1024 * 1024;
const NEWEST_BYTES = 1024 * 1024;

/** The first and the newest warnings of a query, with a warning between them that counts the dropped ones. */
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
    const message = `${this.#dropped} warnings are missing here, because the list is limited. onWarning received all of them.`;
    return [warning('warnings-dropped', message, { dropped: this.#dropped })];
  }
}
