import { LONGEST_TIMER_MS } from '../limits.ts';
import { defaultRateLimitPolicy } from '../supervise/policy.ts';
import { pauseAt, type Throttle, throttled, unthrottled } from '../supervise/rate-limit.ts';
import type { Message } from '../wire/messages.ts';
import type { PoolEventEmitter } from './pool-events.ts';

/**
 * Pauses the whole pool while the API refuses requests: one refused job pauses all. A running job that succeeds does not
 * end the pause.
 */
export class RateLimitPause {
  readonly #events: PoolEventEmitter;
  readonly #onChange: (paused: boolean) => void;
  #throttle: Throttle = unthrottled;
  #until: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(events: PoolEventEmitter, onChange: (paused: boolean) => void) {
    this.#events = events;
    this.#onChange = onChange;
  }

  /** In ms since the epoch; `null` while jobs are started. */
  get until(): number | null {
    return this.#until;
  }

  /** Takes a message of any session into account. */
  note(message: Message): void {
    const now = Date.now();
    const terms = { policy: defaultRateLimitPolicy, now, random: Math.random() };
    this.#throttle = throttled(this.#throttle, message, terms);
    const pause = pauseAt(this.#throttle, now);
    if (!pause || pause.until <= (this.#until ?? now)) return;
    this.#until = pause.until;
    this.#events.emit({ type: 'paused', ...pause });
    this.#onChange(true);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#resume(), Math.min(pause.until - now, LONGEST_TIMER_MS));
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the pause even if the system clock was set back meanwhile. */
  #resume(): void {
    this.#until = null;
    this.#throttle = { ...this.#throttle, pause: undefined };
    this.#events.emit({ type: 'resumed' });
    this.#onChange(false);
  }
}

/** After an adoption: starting the next process immediately would slow down the job that has just started. */
const ADOPTED_MS = 1_000;
/** After a failure: doubles with each further one. */
const FIRST_FAILURE_MS = 1_000;
const LONGEST_MS = 60_000;

/** Delays the start of the next prewarmed process. */
export class PrewarmTimer {
  readonly #onTime: () => void;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onTime: () => void) {
    this.#onTime = onTime;
  }

  start(why: 'adopted' | 'failed'): void {
    const ms = why === 'adopted' ? ADOPTED_MS : Math.min(FIRST_FAILURE_MS * 2 ** this.#failures, LONGEST_MS);
    if (why === 'failed') this.#failures++;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTime, ms);
    // Prewarming alone does not keep the host process alive.
    this.#timer.unref();
  }

  /** A prewarmed process has started: the next failure counts as the first. */
  succeeded(): void {
    this.#failures = 0;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
