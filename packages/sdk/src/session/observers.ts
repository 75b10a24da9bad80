import type { RunEvent } from '../stream/events.ts';
import type { Message } from '../wire/messages.ts';
import { type Gap, Observer } from './observer.ts';

/** A message as an observer of the session sees it. */
export interface ObservedMessage {
  readonly kind: 'message';
  readonly message: Message;
  readonly rawJson: string;
  /** The turn it belongs to; `null` for what the CLI does by itself. */
  readonly turn: string | null;
  readonly at: number;
}

/** Everyone who watches a session. */
export class Observers {
  private readonly maxBytes: number;
  private messageObservers: readonly Observer<ObservedMessage>[] = [];
  private eventObservers: readonly Observer<RunEvent>[];
  /** Holds the events from the start on, for the first one who asks. */
  private first: Observer<RunEvent> | undefined;
  private over = false;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
    this.first = this.newEvents();
    this.eventObservers = [this.first];
  }

  messages(): AsyncIterableIterator<ObservedMessage | Gap> {
    const observer = new Observer<ObservedMessage>(this.maxBytes, (gone) => {
      this.messageObservers = this.messageObservers.filter((other) => other !== gone);
    });
    if (this.over) observer.end();
    else this.messageObservers = [...this.messageObservers, observer];
    return observer;
  }

  events(): AsyncIterableIterator<RunEvent | Gap> {
    const first = this.first;
    this.first = undefined;
    if (first) return first;
    const observer = this.newEvents();
    if (this.over) observer.end();
    else this.eventObservers = [...this.eventObservers, observer];
    return observer;
  }

  message(message: Message, rawJson: string, turn: string | undefined, at: number): void {
    if (this.messageObservers.length === 0) return;
    const observed: ObservedMessage = { kind: 'message', message, rawJson, turn: turn ?? null, at };
    for (const observer of this.messageObservers) observer.push(observed, rawJson.length);
  }

  event(event: RunEvent): void {
    for (const observer of this.eventObservers) observer.push(event, weightOf(event));
  }

  /** The last event has been told. */
  end(): void {
    this.over = true;
    for (const observer of this.messageObservers) observer.end();
    for (const observer of this.eventObservers) observer.end();
  }

  private newEvents(): Observer<RunEvent> {
    return new Observer<RunEvent>(this.maxBytes, (gone) => {
      this.eventObservers = this.eventObservers.filter((other) => other !== gone);
    });
  }
}

/** What a small event weighs on the heap, its entry here included. */
const EVENT_BYTES = 600;

/** Events are small, but for a few that carry what the CLI or the caller said. */
function weightOf(event: RunEvent): number {
  switch (event.type) {
    case 'stderr':
      return EVENT_BYTES + event.line.length;
    case 'warning':
    case 'failed':
    case 'permission-requested':
    case 'restarting':
    case 'gave-up':
      return EVENT_BYTES + JSON.stringify(event).length;
    default:
      return EVENT_BYTES;
  }
}
