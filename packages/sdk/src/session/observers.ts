import type { RunEvent } from '../report/events.ts';
import { copyOf } from '../report/redacted.ts';
import type { ObservedMessage, ObservedRun, RunObserver, RunWatcher } from '../report/run-observer.ts';
import { copyOfMessage, Watchers } from '../report/watchers.ts';
import { ITEM_BYTES, jsonSize } from '../stream/queue.ts';
import { type Gap, Observer } from './observer.ts';

/** Everyone who watches a session: its watchers, and the readers of its messages and events. */
export class Observers extends Watchers {
  readonly #maxBytes: number;
  readonly #readers = new Set<{ end(): void }>();
  /** Holds the events from the start on for the first caller of `events`. */
  #early: Observer<RunEvent> | undefined;
  #over = false;

  constructor(maxBytes: number, run: ObservedRun, observers?: readonly RunObserver[]) {
    super(run, observers);
    this.#maxBytes = maxBytes;
    this.#early = this.#eventReader();
  }

  /** `holds` is the session the reader watches, kept reachable by the iterator. */
  messages(holds: object): AsyncIterableIterator<ObservedMessage | Gap> {
    const reader = this.#join<ObservedMessage>(copyOfMessage, (push) => ({
      message: (observed) => push(observed, observed.rawJson.length + ITEM_BYTES),
    }));
    return watch(reader, holds);
  }

  events(holds: object): AsyncIterableIterator<RunEvent | Gap> {
    const reader = this.#early ?? this.#eventReader();
    this.#early = undefined;
    return watch(reader, holds);
  }

  /** Nothing more comes for the readers. */
  end(): void {
    this.#over = true;
    for (const reader of this.#readers) reader.end();
  }

  #eventReader(): Observer<RunEvent> {
    return this.#join(copyOf, (push) => ({ event: (event) => push(event, weightOf(event)) }));
  }

  #join<I>(copy: (item: I) => I, watcher: (push: (item: I, bytes: number) => void) => RunWatcher): Observer<I> {
    let leave = (): void => {};
    const left = (): void => {
      this.#readers.delete(reader);
      leave();
    };
    const reader: Observer<I> = new Observer(this.#maxBytes, left, copy);
    if (this.#over) {
      reader.end();
    } else {
      leave = this.follow(watcher((item, bytes) => reader.push(item, bytes)));
      this.#readers.add(reader);
    }
    return reader;
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
