import { LONGEST_TIMER_MS } from '../limits.ts';
import { pauseAt, type RateLimitPolicy, type Throttle, throttled, unthrottled } from '../supervise/rate-limit.ts';
import type { Message } from '../wire/messages.ts';
import type { EventHub } from './event-hub.ts';

/** The same as for a supervised session. */
const POLICY: RateLimitPolicy = { maxPauseMs: 60 * 60_000, delayMs: 5_000, maxDelayMs: 5 * 60_000, jitter: 0.5 };

/**
 * Holds the whole pool back while the API turns requests away: one job that is told so speaks for all. Jobs that were
 * under way and succeed do not end a pause.
 */
export class Pause {
  readonly #hub: EventHub;
  readonly #onChange: (paused: boolean) => void;
  #throttle: Throttle = unthrottled;
  #until: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(hub: EventHub, onChange: (paused: boolean) => void) {
    this.#hub = hub;
    this.#onChange = onChange;
  }

  /** In ms since the epoch; `null` when jobs are started. */
  get until(): number | null {
    return this.#until;
  }

  seen(message: Message): void {
    const now = Date.now();
    this.#throttle = throttled(this.#throttle, message, { policy: POLICY, now, random: Math.random() });
    const pause = pauseAt(this.#throttle, now);
    if (!pause || pause.until <= (this.#until ?? now)) return;
    this.#until = pause.until;
    this.#hub.emit({ type: 'paused', ...pause });
    this.#onChange(true);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#resume(), Math.min(pause.until - now, LONGEST_TIMER_MS));
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Its time has passed, whatever the time of day says by then. */
  #resume(): void {
    this.#until = null;
    this.#throttle = { ...this.#throttle, pause: undefined };
    this.#hub.emit({ type: 'resumed' });
    this.#onChange(false);
  }
}
