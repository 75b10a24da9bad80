import type { RunEvent } from '../report/events.ts';
import type { Message } from '../wire/messages.ts';
import { type Gap, Observer } from './observer.ts';
import { Watch } from './watch.ts';

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
  private eventObservers: readonly Observer<RunEvent>[] = [];
  /** The events from the start on, for the first one who asks. */
  private early: EarlyEvents | undefined;
  private over = false;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
    this.early = new EarlyEvents(maxBytes);
  }

  /** For the reader of the session that `holds` stands for. */
  messages(holds: object): AsyncIterableIterator<ObservedMessage | Gap> {
    const observer = new Observer<ObservedMessage>(this.maxBytes, (gone) => {
      this.messageObservers = this.messageObservers.filter((other) => other !== gone);
    });
    if (this.over) observer.end();
    else this.messageObservers = [...this.messageObservers, observer];
    return new Watch(observer, holds);
  }

  events(holds: object): AsyncIterableIterator<RunEvent | Gap> {
    const observer = new Observer<RunEvent>(this.maxBytes, (gone) => {
      this.eventObservers = this.eventObservers.filter((other) => other !== gone);
    });
    this.early?.handTo(observer);
    this.early = undefined;
    if (this.over) observer.end();
    else this.eventObservers = [...this.eventObservers, observer];
    return new Watch(observer, holds);
  }

  message(message: Message, rawJson: string, turn: string | undefined, at: number): void {
    if (this.messageObservers.length === 0) return;
    const observed: ObservedMessage = { kind: 'message', message, rawJson, turn: turn ?? null, at };
    for (const observer of this.messageObservers) observer.push(observed, rawJson.length);
  }

  event(event: RunEvent): void {
    if (this.early === undefined) for (const observer of this.eventObservers) observer.push(event, weightOf(event));
    else this.early.push(event);
  }

  /** The last event has been told. */
  end(): void {
    this.over = true;
    for (const observer of this.messageObservers) observer.end();
    for (const observer of this.eventObservers) observer.end();
  }
}

/** Keeps the newest events while nobody reads them, which is mostly for ever: a hook should not pay more than a push for it. */
class EarlyEvents {
  private readonly maxBytes: number;
  private older: RunEvent[] = [];
  private newer: RunEvent[] = [];
  private newerBytes = 0;
  private dropped = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  push(event: RunEvent): void {
    this.newer.push(event);
    const { type } = event;
    // By far the most are these.
    this.newerBytes += type === 'callback-started' || type === 'callback-ended' ? EVENT_BYTES : weightOf(event);
    if (this.newerBytes > this.maxBytes) this.dropOlder();
  }

  handTo(observer: Observer<RunEvent>): void {
    observer.lose(this.dropped);
    for (const event of [...this.older, ...this.newer]) observer.push(event, weightOf(event));
  }

  /** Many at a time, and without a look at them: one by one costs 2 % of 5,000 hooks. */
  private dropOlder(): void {
    this.dropped += this.older.length;
    this.older = this.newer.splice(0);
    this.newerBytes = 0;
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
