/**
 * Slows down new connections while a server accepts them but stores nothing, for example because its disk hangs: each would occupy a
 * connection slot until the disk works again, and nobody could log in to repair it.
 */
export class Reconnects {
  readonly #now: () => number;
  #silences = 0;
  #nextAt = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A connection was dropped because it was silent. The first few times the connection itself may be the cause. */
  recordSilence(): void {
    this.#silences += 1;
  }

  /** A write reached the disk. Reads may work although the disk hangs. */
  recordStored(): void {
    this.#silences = 0;
    this.#nextAt = 0;
  }

  /** Called before a connection is opened. @throws Error if it is too early */
  check(): void {
    const now = this.#now();
    if (now < this.#nextAt) throw new Error('not connected: the server did not answer on earlier connections');
    if (this.#silences >= IMMEDIATE_ATTEMPTS)
      this.#nextAt = now + Math.min(MAX_DELAY_MS, 1_000 * 2 ** (this.#silences - IMMEDIATE_ATTEMPTS));
  }
}

const IMMEDIATE_ATTEMPTS = 2;
const MAX_DELAY_MS = 30_000;
