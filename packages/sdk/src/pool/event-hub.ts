import { type Gap, Observer } from '../session/observer.ts';
import type { PoolEvent, PoolEventBody } from './events.ts';

/** How much an observer that falls behind keeps. */
const OBSERVER_BYTES = 1024 * 1024;

/** Numbers what happens in a pool and tells everyone who listens. A listener that throws changes nothing. */
export class EventHub {
  readonly #onEvent: ((event: PoolEvent) => void) | undefined;
  readonly #observers = new Set<Observer<PoolEvent>>();
  /** Is told before everyone else; must not throw. */
  first: ((event: PoolEvent) => void) | undefined;
  #seq = 0;
  #over = false;

  constructor(onEvent: ((event: PoolEvent) => void) | undefined) {
    this.#onEvent = onEvent;
  }

  emit(body: PoolEventBody): void {
    const event: PoolEvent = { seq: this.#seq++, at: Date.now(), ...body };
    this.first?.(event);
    if (this.#observers.size > 0) {
      const bytes = JSON.stringify(event).length;
      for (const observer of this.#observers) observer.push(event, bytes);
    }
    try {
      const returned: unknown = this.#onEvent?.(event);
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // Whoever watches a pool cannot break it.
    }
  }

  events(): AsyncIterableIterator<PoolEvent | Gap> {
    const observer = new Observer<PoolEvent>(OBSERVER_BYTES, (left) => this.#observers.delete(left));
    if (this.#over) observer.end();
    else this.#observers.add(observer);
    return observer;
  }

  /** The last event has been told. */
  end(): void {
    this.#over = true;
    for (const observer of this.#observers) observer.end();
    this.#observers.clear();
  }
}
