import type { Logger, SdkOptions } from '../options/option-types.ts';
import type { Redactor } from '../redact.ts';
import { copyOf, redactedData } from '../redacted-data.ts';
import { type Gap, NewestItems } from '../stream/newest-items.ts';
import { ITEM_BYTES, jsonSize } from '../stream/queue.ts';
import type { Warning } from '../warnings/warning.ts';
import type { EventBody, EventHead } from './events.ts';
import { InOrder } from './in-order.ts';
import type { ObservedMessage, ObservedPrompt, ObservedTurnEnd, RunWatcher } from './run-observer.ts';
import { safely } from './safely.ts';

/** The caller's callbacks. */
interface Callbacks<B> extends Pick<SdkOptions, 'logger' | 'onWarning' | 'onStderr'> {
  readonly onEvent?: ((event: EventHead & B) => void) | undefined;
}

interface AudienceOptions {
  /** Maximum unread bytes of a slow reader of events or messages. */
  readonly unreadBytes: number;
  /** Keeps the events from the start for the first reader. */
  readonly keepsEarly?: boolean;
  /** For the log. */
  readonly redact?: Redactor;
}

/** An external watcher. It receives copies; its exceptions have no effect. */
type Watcher<B> = Omit<RunWatcher, 'event'> & { event?(event: EventHead & B): void };

/** A part of the SDK that follows a run. It receives no copies; an exception in `message` is a bug of the SDK. */
export interface Follower<B = EventBody> {
  event?(body: B): void;
  message?(message: ObservedMessage): void;
}

/** A queued event, which is assembled when it is read. */
interface HeldEvent<B> extends EventHead {
  readonly body: B;
}

/**
 * All listeners of a run or a pool: watchers of observers, parts of the SDK, readers and callbacks. External ones receive
 * copies, so their changes and exceptions have no effect. All receive events in the same order: if a listener causes another
 * event, the others receive it after the current one.
 */
export class Audience<B extends { readonly type: string } = EventBody> {
  readonly #callbacks: Callbacks<B>;
  readonly #redact: Redactor;
  readonly #unreadBytes: number;
  readonly #order = new InOrder();
  /** Each in a separate object: two observers may return the same watcher. */
  #watchers: readonly { readonly watcher: Watcher<B> }[] = [];
  #followers: readonly Follower<B>[] = [];
  readonly #eventReaders = new Set<NewestItems<HeldEvent<B>, EventHead & B>>();
  readonly #messageReaders = new Set<NewestItems<ObservedMessage>>();
  #early: NewestItems<HeldEvent<B>, EventHead & B> | undefined;
  #seq = 0;
  #notifiesOfEvents = false;
  #tellsMessages = false;
  #over = false;

  constructor(callbacks: Callbacks<B>, { unreadBytes, keepsEarly = false, redact = (text) => text }: AudienceOptions) {
    this.#callbacks = callbacks;
    this.#unreadBytes = unreadBytes;
    this.#redact = redact;
    if (keepsEarly) this.#early = this.#eventReader();
    this.#changed();
  }

  /** Whether there are listeners for events, or may be later readers. */
  get hasEventListeners(): boolean {
    return this.#notifiesOfEvents || this.#eventReaders.size > 0;
  }

  get hasWatchers(): boolean {
    return this.#watchers.length > 0;
  }

  get hasLogger(): boolean {
    return this.#callbacks.logger !== undefined;
  }

  /** Adds an external watcher. The returned function removes it. */
  add(watcher: Watcher<B> | undefined): () => void {
    if (!watcher) return () => {};
    const place = { watcher };
    this.#watchers = [...this.#watchers, place];
    this.#changed();
    return () => {
      this.#watchers = this.#watchers.filter((other) => other !== place);
      this.#changed();
    };
  }

  /** Adds a part of the SDK, which is notified before all others, because those may cause the next event. */
  follow(follower: Follower<B>): void {
    this.#followers = [follower, ...this.#followers];
    this.#changed();
  }

  /** Numbers an event and passes it on. `bytes` is its size, if known. Builds nothing without listeners. */
  event(body: B, bytes?: number): void {
    const seq = this.#seq++;
    if (!this.hasEventListeners) return;
    const at = Date.now();
    if (this.#eventReaders.size > 0) {
      const weight = EVENT_BYTES + (bytes ?? contentBytes(body));
      for (const reader of this.#eventReaders) reader.push({ seq, at, body }, weight);
    }
    if (this.#notifiesOfEvents) this.#order.run(() => this.#notify(seq, at, body));
  }

  /** If nobody receives the event, counts it without building it and returns true; otherwise returns false. */
  skip(): boolean {
    if (this.hasEventListeners) return false;
    this.#seq++;
    return true;
  }

  message(observed: ObservedMessage): void {
    for (const reader of this.#messageReaders) reader.push(observed, observed.rawJson.length + ITEM_BYTES);
    for (const follower of this.#followers) follower.message?.(observed);
    const watchers = this.#watchers;
    if (watchers.length === 0) return;
    this.#order.run(() => {
      for (const { watcher } of watchers) safely(() => watcher.message?.(copyOfMessage(observed)));
    });
  }

  /** Whether there are listeners for messages. */
  get hearsMessages(): boolean {
    return this.#tellsMessages || this.#messageReaders.size > 0;
  }

  prompt(prompt: ObservedPrompt): void {
    for (const { watcher } of this.#watchers) safely(() => watcher.prompt?.(prompt));
  }

  turnEnded(end: ObservedTurnEnd): void {
    for (const { watcher } of this.#watchers) safely(() => watcher.turnEnded?.(copyOf(end)));
  }

  /** The environment variables that watchers add to a CLI process. */
  environment(): Readonly<Record<string, string>> {
    const variables: Record<string, string> = {};
    for (const { watcher } of this.#watchers) {
      safely(() => {
        const added = watcher.environment?.();
        for (const [name, value] of Object.entries(added ?? {})) if (typeof value === 'string') variables[name] = value;
        return added;
      });
    }
    return variables;
  }

  warning(warning: Warning): void {
    safely(() => this.#callbacks.onWarning?.(copyOf(warning)));
  }

  stderr(line: string): void {
    safely(() => this.#callbacks.onStderr?.(line));
  }

  log(level: keyof Logger, message: string, fields: object): void {
    safely(() => this.#callbacks.logger?.[level](fields, message));
  }

  /** The iterator keeps `holds` reachable, so that a watched object is not garbage-collected. */
  messages(holds: object): AsyncIterableIterator<ObservedMessage | Gap> {
    return holding(this.#join(this.#messageReaders, copyOfMessage), holds);
  }

  /** The first reader gets the events from the start if they are kept. */
  events(holds: object): AsyncIterableIterator<(EventHead & B) | Gap> {
    const reader = this.#early ?? this.#eventReader();
    this.#early = undefined;
    return holding(reader, holds);
  }

  /** Ends all readers: the last event has been passed on. */
  end(): void {
    this.#over = true;
    for (const reader of [...this.#eventReaders, ...this.#messageReaders]) reader.end();
    this.#eventReaders.clear();
    this.#messageReaders.clear();
  }

  #notify(seq: number, at: number, body: B): void {
    for (const follower of this.#followers) safely(() => follower.event?.(body));
    const { onEvent, logger } = this.#callbacks;
    if (!this.hasWatchers && !onEvent && !logger) return;
    const event: EventHead & B = { seq, at, ...body };
    for (const { watcher } of this.#watchers) safely(() => watcher.event?.(copyOf(event)));
    safely(() => onEvent?.(copyOf(event)));
    // Warnings and stderr lines are logged with their own text.
    if (!logger || body.type === 'warning' || body.type === 'stderr') return;
    this.log('debug', this.#redact(`coxswain: ${body.type}`), redactedData(event, this.#redact));
  }

  #changed(): void {
    const { onEvent, logger } = this.#callbacks;
    const outside = this.hasWatchers;
    this.#notifiesOfEvents = outside || !!onEvent || !!logger || this.#followers.some((follower) => follower.event);
    this.#tellsMessages = outside || this.#followers.some((follower) => follower.message);
  }

  #eventReader(): NewestItems<HeldEvent<B>, EventHead & B> {
    return this.#join(this.#eventReaders, ({ seq, at, body }) => copyOf({ seq, at, ...body }));
  }

  #join<H, I>(readers: Set<NewestItems<H, I>>, show: (held: H) => I): NewestItems<H, I> {
    const reader: NewestItems<H, I> = new NewestItems(this.#unreadBytes, show, () => readers.delete(reader));
    if (this.#over) reader.end();
    else readers.add(reader);
    return reader;
  }
}

/** A copy of a message for an external listener, as the CLI wrote it: the turn's reader may have changed its own. */
function copyOfMessage(observed: ObservedMessage): ObservedMessage {
  // The line was parsed once already, so this cannot fail.
  return { ...observed, message: JSON.parse(observed.rawJson) };
}

/** The heap size of a small event, including its queue entry. */
const EVENT_BYTES = 600;

/** The size of an event's fields. */
function contentBytes(body: object): number {
  let bytes = 0;
  for (const name in body) {
    const value: unknown = Reflect.get(body, name);
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null) bytes += jsonSize(value);
  }
  return bytes;
}

function holding<H, I>(
  reader: NewestItems<H, I>,
  holds: object,
): AsyncIterableIterator<I | Gap> & { readonly holds: object } {
  return {
    holds,
    next: () => reader.next(),
    return: () => reader.return(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
