/** After an adoption: starting the next process at once would take the machine from the job that has just begun. */
const ADOPTED_MS = 1_000;
/** After a failure: twice as long each time, up to a minute. */
const FIRST_FAILURE_MS = 1_000;
const LONGEST_MS = 60_000;

/** Says when the next process may be started ahead of its job. */
export class WarmClock {
  readonly #ring: () => void;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  set(why: 'adopted' | 'failed'): void {
    const ms = why === 'adopted' ? ADOPTED_MS : Math.min(FIRST_FAILURE_MS * 2 ** this.#failures, LONGEST_MS);
    if (why === 'failed') this.#failures++;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#ring, ms);
    // A pool that only wants to be ready does not hold the host.
    this.#timer.unref();
  }

  /** One has come up: the next failure is a first one again. */
  succeeded(): void {
    this.#failures = 0;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
