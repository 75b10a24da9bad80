import type { Pause } from '../session/session.ts';
import { Timers } from '../timing/timers.ts';
import type { Message } from '../wire/messages.ts';
import type { RateLimitPolicy } from './policy.ts';
import { pauseAt, throttled, unthrottled } from './rate-limit.ts';

/** Times the pauses while the API refuses requests. */
export class PauseClock {
  readonly #policy: RateLimitPolicy | undefined;
  readonly #onChange: (pause: Pause | undefined) => void;
  readonly #keeps: boolean;
  readonly #timers = new Timers<'pause'>();
  #throttle = unthrottled;
  #current: Pause | undefined;

  /** Without a policy nothing is paused. `keeps`: a turn that succeeds does not end a pause before its time. */
  constructor(policy: RateLimitPolicy | undefined, onChange: (pause: Pause | undefined) => void, keeps = false) {
    this.#policy = policy;
    this.#onChange = onChange;
    this.#keeps = keeps;
  }

  get current(): Pause | undefined {
    return this.#current;
  }

  note(message: Message): void {
    if (!this.#policy) return;
    const now = Date.now();
    const before = this.#throttle.pause;
    this.#throttle = throttled(this.#throttle, message, { policy: this.#policy, now, random: Math.random() });
    const { pause } = this.#throttle;
    if (pause === before || (this.#keeps && (pause?.until ?? 0) <= (this.#current?.until ?? 0))) return;
    this.#follow(now);
  }

  end(): void {
    this.#timers.clear();
    this.#current = undefined;
  }

  /** A pause ends after its time, even if the system clock was changed. */
  #follow(now: number): void {
    const pause = pauseAt(this.#throttle, now);
    const changed = pause !== this.#current;
    this.#current = pause;
    this.#timers.clear();
    if (pause) this.#timers.set('pause', pause.until - now, () => this.#follow(pause.until));
    else this.#throttle = { ...this.#throttle, pause: undefined };
    if (changed) this.#onChange(pause);
  }
}
