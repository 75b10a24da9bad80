import { untilWritesAreAnswered, type WriteProbe } from './write-probe.ts';

/**
 * Opens no connections while a server accepts them but stores nothing, for example because its disk hangs: each would occupy a
 * connection slot until the disk works again, and nobody could log in to repair it. One probe reports when the server works again.
 */
export class Reconnects {
  readonly #write: WriteProbe;
  readonly #closed = new AbortController();
  #silences = 0;
  #paused = false;

  constructor(write: WriteProbe) {
    this.#write = write;
  }

  /** A connection was dropped because it was silent. The first time, the connection itself may be the cause. */
  recordSilence(): void {
    this.#silences += 1;
    if (this.#silences >= IMMEDIATE_ATTEMPTS && !this.#paused) void this.#pause();
  }

  /** Called before a connection is opened. @throws Error while the server stores nothing */
  check(): void {
    if (this.#paused) throw new Error('not connected: the server did not answer on earlier connections');
  }

  close(): void {
    this.#closed.abort();
  }

  async #pause(): Promise<void> {
    this.#paused = true;
    await untilWritesAreAnswered(this.#write, this.#closed.signal);
    this.#paused = false;
    this.#silences = 0;
  }
}

const IMMEDIATE_ATTEMPTS = 2;
