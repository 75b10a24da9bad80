import type { CoxswainError } from '../errors/base.ts';
import { ReaderTooSlowError, TurnNotKeptError } from '../errors/session.ts';
import { addCosts, NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import type { EventHead } from '../report/events.ts';
import { Deferred } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message, ResultMessage } from '../wire/messages.ts';
import type { ErrorItem, PermissionItem, StreamItem, WarningItem } from './items.ts';
import { ITEM_BYTES, jsonSize, Queue, Waiters } from './queue.ts';

/** The source of a message stream's items. */
export interface ItemFeed {
  /** Takes the next item, if one is available. A permission item has the `seq` of the item after it. */
  take(): StreamItem | PermissionItem | undefined;
  /** Resolves to true when `take` may return an item, to false when the feed has ended. @throws the terminal error, once */
  more(): Promise<boolean>;
  /** Announces a reader, so that items are kept for it. */
  expectReader(): void;
  /** The reader takes no permission items. */
  refusePermissions(): void;
  /** Stops reading early. Resolves when the reader need not wait any longer. */
  leave(): Promise<void>;
  /** True if a promise for the end reads the feed, unless the caller iterates it. */
  readonly drained: boolean;
  readonly results: readonly ResultMessage[];
  /** Resolves to the failure that ended the feed, if any, possibly before all items were taken. Never rejects. */
  readonly ended: Promise<Error | undefined>;
  /** Resolves when the cost is known, possibly after the end. Never rejects. */
  readonly cost: Promise<TurnCost>;
}

/** Options of a feed. By default a feed has no limits. */
export interface FeedOptions {
  /** A promise for the end reads the feed, unless the caller iterates it. */
  readonly drained?: boolean;
  /** Set to false if the number of results is unbounded: `results` then stays empty. */
  readonly keepsResults?: boolean;
  /** Maximum size of the items kept before a reader starts. */
  readonly bufferBytes?: number;
  /** Maximum backlog of a reader while the pipe cannot be paused. */
  readonly backlogBytes?: number;
  /** Returns whether the pipe can be paused for a slow reader. */
  readonly pausable?: () => boolean;
  /** Called when the reader has caught up. */
  readonly onDrained?: () => void;
  /** Creates the next item on demand. Returns false if none is available now. */
  readonly pull?: () => boolean;
  /** Called when a reader waits and no item is available. */
  readonly onDemand?: () => void;
  /** Called when the reader stops early. */
  readonly onLeave?: () => Promise<void>;
}

/** An item before it is numbered. */
type Unnumbered<I> = I extends unknown ? Omit<I, 'seq' | 'at'> : never;

/** A message in a long backlog. Only its line is kept, because a parsed object takes several times the memory. */
interface RawLine extends EventHead {
  readonly kind: 'line';
  readonly rawJson: string;
}

/** Size of the backlog up to which messages are kept parsed. */
const PARSED_BYTES = 256 * 1024;

/** Creates an ended feed with this result and no cost. */
export function feedOf(result: ResultMessage): Feed {
  const feed = new Feed();
  feed.message(result, JSON.stringify(result), Date.now());
  feed.end();
  return feed;
}

/** Estimated memory of the objects of a warning or a permission request, and of an error with its stack, without their text. */
const OBJECT_BYTES = 1_024;
const ERROR_BYTES = 4_096;

/** Maximum number and total size of the kept results, because a CLI can send any number. The newest are kept. */
const MOST_RESULTS = 1_000;
const RESULTS_BYTES = 16 * 1024 * 1024;

/** Backlog at which the pipe is paused. Holding more would cost ten times as much memory. */
const BEHIND_BYTES = 1024 * 1024;

/** Buffers the items of a query or a turn between the code that reads the CLI and the reader of the stream. */
export class Feed implements ItemFeed {
  readonly results: ResultMessage[] = [];
  readonly #resultBytes: number[] = [];
  readonly #ended = new Deferred<Error | undefined>();
  readonly ended: Promise<Error | undefined> = this.#ended.promise;
  readonly #charges: Promise<TurnCost>[] = [];
  readonly #options: FeedOptions;
  readonly #bufferBytes: number;
  readonly #backlogBytes: number;
  readonly #queue = new Queue<StreamItem | PermissionItem | RawLine>();
  readonly #waiters = new Waiters();
  #seq = 0;
  #reader: 'none' | 'reading' | 'stopped' = 'none';
  #hasEnded = false;
  #takesPermissions = true;
  /** The error for the reader, after the remaining items. */
  #failure: Error | undefined;

  constructor(options: FeedOptions = {}) {
    this.#options = options;
    this.#bufferBytes = options.bufferBytes ?? Number.POSITIVE_INFINITY;
    this.#backlogBytes = options.backlogBytes ?? Number.POSITIVE_INFINITY;
  }

  get drained(): boolean {
    return this.#options.drained ?? false;
  }

  /** The sum over all attempts. */
  get cost(): Promise<TurnCost> {
    const charges = this.ended.then(() => Promise.all(this.#charges));
    return charges.then((costs) => costs.reduce(addCosts, NO_COST));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Size of the items that wait for the reader. */
  get bytes(): number {
    return this.#queue.bytes;
  }

  /** True after a reader was announced, until it stops. */
  get reading(): boolean {
    return this.#reader === 'reading';
  }

  /** True if the pipe should be paused until the reader has caught up. */
  get full(): boolean {
    return this.reading && !this.#hasEnded && this.bytes >= Math.min(this.#bufferBytes, BEHIND_BYTES);
  }

  /** True if a reader waits for an item. */
  get wanted(): boolean {
    return this.#waiters.any;
  }

  message(message: Message, rawJson: string, at: number): void {
    const isKeptResult = message.type === 'result' && this.#options.keepsResults !== false;
    if (isKeptResult) this.#keepResult(message, rawJson.length);
    const seq = this.#seq++;
    const held = this.#queue.bytes + rawJson.length;
    // Keep the object of a result: it also carries the reported limit.
    const keep = held <= PARSED_BYTES || this.#queue.length === 0 || isKeptResult;
    this.#add(
      keep ? { kind: 'message', message, rawJson, seq, at } : { kind: 'line', rawJson, seq, at },
      rawJson.length,
    );
  }

  warning(warning: Warning): void {
    this.#hold({ kind: 'warning', warning, seq: this.#seq++, at: Date.now() });
  }

  /** Adds an error that does not end the stream. */
  error(error: CoxswainError): void {
    this.#hold({ kind: 'error', error, seq: this.#seq++, at: Date.now() });
  }

  /** False once it is known that no reader takes permission items. */
  get takesPermissions(): boolean {
    return this.#takesPermissions && this.#reader !== 'stopped' && !this.#hasEnded;
  }

  /**
   * Adds a permission request or its answer. It does not use up a `seq`, because only some readers receive it. They get a copy of
   * the request.
   */
  permission(item: Unnumbered<PermissionItem>): void {
    if (!this.takesPermissions) return;
    this.#hold({ ...item, seq: this.#seq, at: Date.now() });
  }

  /** Announces a cost. The returned function sets it. */
  charge(): (cost: TurnCost) => void {
    const charge = new Deferred<TurnCost>();
    this.#charges.push(charge.promise);
    return charge.resolve;
  }

  /** Everything begins again: what was read stays read, but the results so far do not count. */
  restart(): void {
    this.results.length = 0;
    this.#resultBytes.length = 0;
  }

  /** Ends the feed. Remaining items can still be taken, unless `atOnce` discards them to report the failure immediately. */
  end(failure?: Error, atOnce = false): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (atOnce) this.#queue.clear();
    this.#failure ??= failure;
    this.#ended.resolve(failure);
    this.wake();
  }

  expectReader(): void {
    if (this.#reader === 'none') this.#reader = 'reading';
  }

  refusePermissions(): void {
    this.#takesPermissions = false;
  }

  take(): StreamItem | PermissionItem | undefined {
    this.expectReader();
    for (;;) {
      const item = this.#queue.shift();
      if (item !== undefined) {
        if (this.#queue.bytes === 0) this.#options.onDrained?.();
        if (item.kind !== 'line') return item;
        // The line was already parsed once, so this cannot throw.
        return { ...item, kind: 'message', message: JSON.parse(item.rawJson) };
      }
      if (!this.#options.pull?.()) return undefined;
    }
  }

  async more(): Promise<boolean> {
    if (this.#queue.length > 0) return true;
    if (this.#failure || this.#hasEnded || this.#reader === 'stopped') {
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) throw failure;
      return false;
    }
    const changed = this.#waiters.wait();
    this.#options.onDemand?.();
    await changed;
    return true;
  }

  /** Stops only the reader. The owner of the feed reacts in `onLeave`. */
  async leave(): Promise<void> {
    this.#stopReading();
    await this.#options.onLeave?.();
  }

  /** Makes a waiting reader check again. */
  wake(): void {
    this.#waiters.wake();
  }

  #keepResult(result: ResultMessage, bytes: number): void {
    this.results.push(result);
    this.#resultBytes.push(bytes);
    const sum = (): number => this.#resultBytes.reduce((all, one) => all + one, 0);
    while (this.results.length > MOST_RESULTS || (this.results.length > 1 && sum() > RESULTS_BYTES)) {
      this.results.shift();
      this.#resultBytes.shift();
    }
  }

  #hold(item: WarningItem | ErrorItem | PermissionItem): void {
    this.#add(item, jsonSize(item) + (item.kind === 'error' ? ERROR_BYTES : OBJECT_BYTES));
  }

  #add(item: StreamItem | PermissionItem | RawLine, bytes: number): void {
    if (this.#reader === 'stopped' || this.#hasEnded) return;
    this.#queue.push(item, bytes + ITEM_BYTES);
    const held = this.#queue.bytes;
    if (this.#reader === 'none') {
      if (held > this.#bufferBytes) this.#stopReading(new TurnNotKeptError(this.#bufferBytes));
    } else if (held > this.#backlogBytes && !this.#options.pausable?.()) {
      this.#stopReading(new ReaderTooSlowError(this.#backlogBytes));
    }
    this.wake();
  }

  #stopReading(failure?: Error): void {
    this.#reader = 'stopped';
    this.#failure = failure;
    this.#queue.clear();
    this.#options.onDrained?.();
    this.wake();
  }
}
