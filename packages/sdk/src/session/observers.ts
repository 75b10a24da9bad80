import type { RunEvent } from '../report/events.ts';
import type { ObservedMessage } from '../report/run-observer.ts';
import type { Watchers } from '../report/watchers.ts';
import { jsonSize } from '../stream/queue.ts';
import type { Message } from '../wire/messages.ts';
import { type Gap, Observer } from './observer.ts';

/** Everyone who watches a session. */
export class Observers {
  readonly watchers: Watchers;
  readonly #maxBytes: number;
  readonly #messages = new Set<Observer<ObservedMessage>>();
  readonly #events = new Set<Observer<RunEvent>>();
  /** Holds the events from the start on for the first caller of `events`. */
  #early: Observer<RunEvent> | undefined;
  #over = false;

  constructor(maxBytes: number, watchers: Watchers) {
    this.watchers = watchers;
    this.#maxBytes = maxBytes;
    this.#early = this.#join(this.#events);
  }

  /** `holds` is the session the reader watches, kept reachable by the iterator. */
  messages(holds: object): AsyncIterableIterator<ObservedMessage | Gap> {
    return watch(this.#join(this.#messages), holds);
  }

  events(holds: object): AsyncIterableIterator<RunEvent | Gap> {
    const observer = this.#early ?? this.#join(this.#events);
    this.#early = undefined;
    return watch(observer, holds);
  }

  message(message: Message, rawJson: string, turn: string | undefined, at: number): void {
    const observed: ObservedMessage = { kind: 'message', message, rawJson, turn: turn ?? null, at };
    for (const observer of this.#messages) observer.push(observed, rawJson.length);
    this.watchers.message(observed);
  }

  event(event: RunEvent): void {
    const bytes = weightOf(event);
    for (const observer of this.#events) observer.push(event, bytes);
    this.watchers.event(event);
  }

  end(): void {
    this.#over = true;
    for (const observer of [...this.#messages, ...this.#events]) observer.end();
  }

  #join<I>(group: Set<Observer<I>>): Observer<I> {
    const observer: Observer<I> = new Observer(this.#maxBytes, () => group.delete(observer));
    if (this.#over) observer.end();
    else group.add(observer);
    return observer;
  }
}

/** What a small event weighs on the heap, its entry here included. */
const EVENT_BYTES = 600;

function weightOf(event: RunEvent): number {
  let bytes = EVENT_BYTES;
  for (const value of Object.values(event)) {
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null) bytes += jsonSize(value);
  }
  return bytes;
}

/** What the caller reads. It holds the session: one that is watched is not abandoned. */
function watch<I>(observer: Observer<I>, holds: object): AsyncIterableIterator<I | Gap> & { readonly holds: object } {
  return {
    holds,
    next: () => observer.next(),
    return: () => observer.return(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
