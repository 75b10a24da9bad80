import type { RunEvent } from '../report/events.ts';
import type { Message } from '../wire/messages.ts';
import { type Gap, Observer } from './observer.ts';

/** A message as an observer of the session sees it. */
export interface ObservedMessage {
  readonly kind: 'message';
  readonly message: Message;
  readonly rawJson: string;
  /** The turn it belongs to; `null` for the CLI's own work. */
  readonly turn: string | null;
  readonly at: number;
}

/** Everyone who watches a session. */
export class Observers {
  readonly #maxBytes: number;
  #messageObservers: readonly Observer<ObservedMessage>[] = [];
  #eventObservers: readonly Observer<RunEvent>[] = [];
  /** Holds the events from the start on for the first caller of `events`. */
  #early: Observer<RunEvent> | undefined;
  #over = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#early = this.#eventObserver();
  }

  /** `holds` is the session the reader watches, kept reachable by the iterator. */
  messages(holds: object): AsyncIterableIterator<ObservedMessage | Gap> {
    const observer = new Observer<ObservedMessage>(this.#maxBytes, (gone) => {
      this.#messageObservers = this.#messageObservers.filter((other) => other !== gone);
    });
    if (this.#over) observer.end();
    else this.#messageObservers = [...this.#messageObservers, observer];
    return new Watch(observer, holds);
  }

  events(holds: object): AsyncIterableIterator<RunEvent | Gap> {
    const observer = this.#early ?? this.#eventObserver();
    this.#early = undefined;
    return new Watch(observer, holds);
  }

  message(message: Message, rawJson: string, turn: string | undefined, at: number): void {
    if (this.#messageObservers.length === 0) return;
    const observed: ObservedMessage = { kind: 'message', message, rawJson, turn: turn ?? null, at };
    for (const observer of this.#messageObservers) observer.push(observed, rawJson.length);
  }

  event(event: RunEvent): void {
    const bytes = weightOf(event);
    for (const observer of this.#eventObservers) observer.push(event, bytes);
  }

  /** The last event has been told. */
  end(): void {
    this.#over = true;
    for (const observer of this.#messageObservers) observer.end();
    for (const observer of this.#eventObservers) observer.end();
  }

  #eventObserver(): Observer<RunEvent> {
    const observer = new Observer<RunEvent>(this.#maxBytes, (gone) => {
      this.#eventObservers = this.#eventObservers.filter((other) => other !== gone);
    });
    if (this.#over) observer.end();
    else this.#eventObservers = [...this.#eventObservers, observer];
    return observer;
  }
}

/** What the caller reads. It holds the session: one that is watched is not abandoned. */
class Watch<I> implements AsyncIterableIterator<I> {
  readonly holds: object;
  readonly #observer: AsyncIterableIterator<I>;

  constructor(observer: AsyncIterableIterator<I>, holds: object) {
    this.#observer = observer;
    this.holds = holds;
  }

  next(): Promise<IteratorResult<I>> {
    return this.#observer.next();
  }

  async return(): Promise<IteratorResult<I>> {
    await this.#observer.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** What a small event weighs on the heap, its entry here included. */
const EVENT_BYTES = 600;

/** Events are small, but for a few that carry what the CLI or the caller said. */
function weightOf(event: RunEvent): number {
  switch (event.type) {
    case 'stderr':
      return EVENT_BYTES + event.line.length;
    case 'permission-requested':
      // Everything else in the request is a part of this.
      return EVENT_BYTES + JSON.stringify(event.request.raw).length;
    case 'warning':
    case 'failed':
    case 'restarting':
    case 'gave-up':
      return EVENT_BYTES + JSON.stringify(event).length;
    default:
      return EVENT_BYTES;
  }
}
