/**
 * Slows new connections down while a server accepts them and stores nothing, as when its disk hangs: each would take one of its
 * places until the disk works again, and nobody could log in to repair it.
 */
export class Reconnects {
  readonly #now: () => number;
  #silences = 0;
  #nextAt = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A connection was given up because it carried nothing. The first few times it may be the connection itself. */
  silence(): void {
    this.#silences += 1;
  }

  /** Something was written to the disk. Reading may work although the disk hangs. */
  stored(): void {
    this.#silences = 0;
    this.#nextAt = 0;
  }

  /** Called before a connection is made. @throws Error if it is too early */
  check(): void {
    const now = this.#now();
    if (now < this.#nextAt) throw new Error('not connected: the server did not answer on earlier connections');
    if (this.#silences >= FREE) this.#nextAt = now + Math.min(LONGEST_MS, 1_000 * 2 ** (this.#silences - FREE));
  }
}

const FREE = 2;
const LONGEST_MS = 30_000;
