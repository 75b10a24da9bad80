import type { CoxswainError } from '../errors/base.ts';
import { ReaderTooSlowError, TurnNotKeptError } from '../errors/session.ts';
import { addCosts, NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import type { EventHead } from '../report/events.ts';
import { Deferred } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message, ResultMessage } from '../wire/messages.ts';
import type { ErrorItem, PermissionItem, StreamItem, WarningItem } from './items.ts';
import { ITEM_BYTES, jsonSize, Queue, Waiters } from './queue.ts';

/** Where a message stream gets its items from. */
export interface ItemFeed {
  /** The next item, if one is available. The `seq` of a permission is that of the item after it. */
  take(): StreamItem | PermissionItem | undefined;
  /** Resolves to true when `take` may have something, to false when the feed has ended. @throws the terminal error, once */
  more(): Promise<boolean>;
  /** A reader will come, so items are kept for it. */
  expectReader(): void;
  /** The reader takes no permission items. */
  refusePermissions(): void;
  /** The reader leaves early; resolves when it need not wait any longer. */
  leave(): Promise<void>;
  /** True when a promise for the end reads the feed, unless the caller iterates it. */
  readonly drained: boolean;
  readonly results: readonly ResultMessage[];
  /** Settles with how the feed ended, which may be before everything was taken; never rejects. */
  readonly ended: Promise<Error | undefined>;
  /** Settles when the cost is known, which may be after the end; never rejects. */
  readonly cost: Promise<TurnCost>;
}

/** How a feed treats its reader. Without any of these it holds as much as it is given. */
export interface FeedOptions {
  /** A promise for the end reads the feed, unless the caller iterates it. */
  readonly drained?: boolean;
  /** False when there is no end of results: then `results` stays empty. */
  readonly keepsResults?: boolean;
  /** How much is kept while there is no reader. */
  readonly bufferBytes?: number;
  /** How far a reader may fall behind when the pipe cannot be paused for it. */
  readonly backlogBytes?: number;
  /** Whether the pipe can be paused for a slow reader. */
  readonly pausable?: () => boolean;
  /** The reader has caught up. */
  readonly onDrained?: () => void;
  /** Makes the next item on demand; false when none can be made now. */
  readonly pull?: () => boolean;
  /** A reader waits and nothing is available. */
  readonly onDemand?: () => void;
  /** The reader has left early. */
  readonly onLeave?: () => Promise<void>;
}

/** An item before it gets its place. */
type Unnumbered<I> = I extends unknown ? Omit<I, 'seq' | 'at'> : never;

/** A message of a long backlog: a parsed object weighs several times its line, so only the line is kept. */
interface RawLine extends EventHead {
  readonly kind: 'line';
  readonly rawJson: string;
}

/** Up to here messages are kept parsed. */
const PARSED_BYTES = 256 * 1024;

/** A feed that has ended with this result, which cost nothing. */
export function feedOf(result: ResultMessage): Feed {
  const feed = new Feed();
  feed.message(result, JSON.stringify(result), Date.now());
  feed.end();
  return feed;
}

/** What the objects of a warning or a permission request, and those of an error with its stack, weigh beside their texts. */
const OBJECT_BYTES = 1_024;
const ERROR_BYTES = 4_096;

/** How many results are kept, and how large they may be together: a CLI can send any number. The newest stay. */
const MOST_RESULTS = 1_000;
const RESULTS_BYTES = 16 * 1024 * 1024;

/** The pipe is paused for a reader this far behind: holding more would cost ten times as much memory. */
const BEHIND_BYTES = 1024 * 1024;

/** The items of a query or a turn between the code that reads the CLI and the reader of the stream. */
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
  #reader: 'none' | 'reading' | 'gone' = 'none';
  #over = false;
  #takesPermissions = true;
  /** The error the reader gets after the remaining items. */
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

  get over(): boolean {
    return this.#over;
  }

  /** How much waits for the reader. */
  get bytes(): number {
    return this.#queue.bytes;
  }

  /** True once a reader is expected, until it leaves. */
  get reading(): boolean {
    return this.#reader === 'reading';
  }

  /** True when the pipe should be paused until the reader has caught up. */
  get full(): boolean {
    return this.reading && !this.#over && this.bytes >= Math.min(this.#bufferBytes, BEHIND_BYTES);
  }

  /** True when a reader waits for an item. */
  get wanted(): boolean {
    return this.#waiters.any;
  }

  message(message: Message, rawJson: string, at: number): void {
    const isKeptResult = message.type === 'result' && this.#options.keepsResults !== false;
    if (isKeptResult) this.#keepResult(message, rawJson.length);
    const seq = this.#seq++;
    const held = this.#queue.bytes + rawJson.length;
    // The object of a result carries what was said about its limit.
    const keep = held <= PARSED_BYTES || this.#queue.length === 0 || isKeptResult;
    this.#add(
      keep ? { kind: 'message', message, rawJson, seq, at } : { kind: 'line', rawJson, seq, at },
      rawJson.length,
    );
  }

  warning(warning: Warning): void {
    this.#hold({ kind: 'warning', warning, seq: this.#seq++, at: Date.now() });
  }

  /** An error that does not end the stream. */
  error(error: CoxswainError): void {
    this.#hold({ kind: 'error', error, seq: this.#seq++, at: Date.now() });
  }

  /** False once it is known that no reader takes permission items. */
  get takesPermissions(): boolean {
    return this.#takesPermissions && this.#reader !== 'gone' && !this.#over;
  }

  /** A permission was requested or answered. It takes no number: only some readers want it. They get a copy of the request. */
  permission(item: Unnumbered<PermissionItem>): void {
    if (!this.takesPermissions) return;
    this.#hold({ ...item, seq: this.#seq, at: Date.now() });
  }

  /** From now on it may cost something; the returned function takes the cost. */
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

  /** Ends the feed. Remaining items can still be taken, unless the failure must reach the reader `atOnce`. */
  end(failure?: Error, atOnce = false): void {
    if (this.#over) return;
    this.#over = true;
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
        // The line was parsed once already, so this cannot fail.
        return { ...item, kind: 'message', message: JSON.parse(item.rawJson) };
      }
      if (!this.#options.pull?.()) return undefined;
    }
  }

  async more(): Promise<boolean> {
    if (this.#queue.length > 0) return true;
    if (this.#failure || this.#over || this.#reader === 'gone') {
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

  /** Only the reader stops; what the feed belongs to decides in `onLeave` what that means. */
  async leave(): Promise<void> {
    this.#stopReading();
    await this.#options.onLeave?.();
  }

  /** Lets a waiting reader look again. */
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
    if (this.#reader === 'gone' || this.#over) return;
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
    this.#reader = 'gone';
    this.#failure = failure;
    this.#queue.clear();
    this.#options.onDrained?.();
    this.wake();
  }
}
