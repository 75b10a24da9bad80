import type { Report } from '../report/report.ts';
import type { Pause } from '../session/session.ts';
import { Timers } from '../timing/timers.ts';
import type { Message } from '../wire/messages.ts';
import { pauseAt, type RateLimitPolicy, throttled, unthrottled } from './rate-limit.ts';

/** Times a pause and reports when it begins, changes and ends. */
export class PauseClock {
  readonly #policy: RateLimitPolicy | undefined;
  readonly #report: Report;
  readonly #onResume: () => void;
  readonly #timers = new Timers<'pause'>();
  #throttle = unthrottled;
  #current: Pause | undefined;

  /** Without a policy nothing is paused. */
  constructor(policy: RateLimitPolicy | undefined, report: Report, onResume: () => void) {
    this.#policy = policy;
    this.#report = report;
    this.#onResume = onResume;
  }

  get current(): Pause | undefined {
    return this.#current;
  }

  note(message: Message): void {
    if (!this.#policy) return;
    const before = this.#throttle;
    this.#throttle = throttled(before, message, { policy: this.#policy, now: Date.now(), random: Math.random() });
    if (this.#throttle.pause !== before.pause) this.#follow(Date.now());
  }

  end(): void {
    this.#timers.clear();
    this.#current = undefined;
  }

  /** A pause ends when its time has passed, even if the system clock was changed meanwhile. */
  #follow(now: number): void {
    const pause = pauseAt(this.#throttle, now);
    const changed = pause !== this.#current;
    this.#current = pause;
    if (pause) this.#timers.set('pause', pause.until - now, () => this.#follow(pause.until));
    else this.#throttle = { ...this.#throttle, pause: undefined };
    if (!changed) return;
    if (pause) return this.#report.event({ type: 'paused', ...pause });
    this.#report.event({ type: 'resumed' });
    this.#onResume();
  }
}
