import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import type { Hub } from '../database/hub.ts';
import { JOBS, PREFERRED } from '../database/log.ts';

/** How much later than due a worker searches for a job that was left to another one. */
const MORE_MS = 10;

interface PreferredJobsParts {
  readonly hub: Pick<Hub, 'wait' | 'wake'>;
  /** For how long jobs are left to the workers that have processes of their conversations. */
  readonly preferMs: number;
  /** True if this worker has such processes. */
  readonly hasProcesses: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * Searches for jobs that are left to certain workers for a moment: at once if this may be one of them, and when that time is over. One timer
 * is enough, however many jobs there are.
 */
export class PreferredJobs {
  readonly #parts: PreferredJobsParts;
  #timer: NodeJS.Timeout | undefined;
  #lastAt = 0;

  constructor(parts: PreferredJobsParts) {
    this.#parts = parts;
    parts.signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true });
  }

  /** Waits for the next notification. */
  async await(): Promise<void> {
    const { hub, hasProcesses, signal } = this.#parts;
    await hub.wait(PREFERRED, LONGEST_TIMER_MS, signal);
    if (signal.aborted) return;
    if (hasProcesses()) hub.wake(JOBS);
    this.#lastAt = performance.now();
    if (this.#timer === undefined) this.#start(this.#lastAt);
  }

  /** Covers all notifications until `at`. */
  #start(at: number): void {
    const { hub, preferMs } = this.#parts;
    this.#timer = setTimeout(
      () => {
        hub.wake(JOBS);
        this.#timer = undefined;
        if (this.#lastAt > at) this.#start(this.#lastAt);
      },
      Math.max(0, at + preferMs + MORE_MS - performance.now()),
    );
  }
}
