import type { CoxswainError } from '../errors/base.ts';
import { ReaderTooSlowError, TurnNotKeptError } from '../errors/turn.ts';
import { NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import type { ItemFeed } from '../stream/feed.ts';
import type { ErrorItem, MessageItem, PermissionItem, StreamItem, WarningItem } from '../stream/items.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message, ResultMessage } from '../wire/messages.ts';
import { keepRaw } from '../wire/raw.ts';

/** A message of the backlog: parsed objects weigh several times their line, so only the line is kept. */
interface RawLine {
  readonly kind: 'line';
  readonly rawJson: string;
  readonly seq: number;
  readonly at: number;
}

/** Any other item with what it weighs. */
interface HeldItem {
  readonly kind: 'held';
  readonly item: StreamItem | PermissionItem;
  readonly bytes: number;
}

/** An item before it is in its place. */
export type Unnumbered<I> = I extends unknown ? Omit<I, 'seq' | 'at'> : never;

/** Up to here messages are kept as they were parsed, and so is one that nothing else waits with. */
const PARSED_BYTES = 256 * 1024;

/** A reader that is this far behind is waited for, if it can be: more would cost the host ten times as much memory. */
const BEHIND_BYTES = 1024 * 1024;

/** What a turn's feed needs of its session. */
export interface TurnFeedOptions {
  readonly bufferBytes: number;
  readonly backlogBytes: number;
  /** True when the pipe may be paused for a slow reader, so that nothing has to be given up. */
  readonly pausable: () => boolean;
  /** A reader has caught up. */
  readonly onDrained: () => void;
}

/** The messages of one turn between the session, which never waits for them, and their reader. */
export class TurnFeed implements ItemFeed {
  readonly pulled = false;
  readonly results: ResultMessage[] = [];
  readonly ended: Promise<Error | undefined>;
  readonly cost: Promise<TurnCost>;
  readonly #options: TurnFeedOptions;
  readonly #entries: (MessageItem | RawLine | HeldItem | undefined)[] = [];
  #head = 0;
  #seq = 0;
  #held = 0;
  #waiting: (() => void)[] = [];
  #reader: 'none' | 'reading' | 'gone' = 'none';
  #over = false;
  /** What the reader still has to be told, after what is left to take. */
  #failure: Error | undefined;
  #settle: (failure: Error | undefined) => void = () => {};
  /** The CLI may have been given its prompt: the cost ledger reports what that cost. */
  #charged = false;
  #settleCost: (cost: TurnCost) => void = () => {};

  constructor(options: TurnFeedOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.cost = new Promise((resolve) => {
      this.#settleCost = resolve;
    });
  }

  /** The turn has ended, or was given up. */
  get over(): boolean {
    return this.#over;
  }

  /** Whether a reader that is behind should be waited for. */
  get full(): boolean {
    return this.#reader === 'reading' && !this.#over && this.#held >= Math.min(this.#options.bufferBytes, BEHIND_BYTES);
  }

  message(message: Message, rawJson: string, at: number): void {
    // No message is pushed: an empty array passes for one of numbers, and the engine throws away a `push` it compiled for those.
    if (message.type === 'result') this.results[this.results.length] = message;
    const seq = this.#seq++;
    if (this.#reader === 'gone' || this.#over) return;
    this.#held += rawJson.length;
    const entries = this.#entries;
    const end = entries.length;
    // A result is more than its line: what was said about its limit is tied to the object.
    const keep = this.#held <= PARSED_BYTES || this.#head === end || message.type === 'result';
    if (keep) entries[end] = { kind: 'message', message, rawJson, seq, at };
    else entries[end] = { kind: 'line', rawJson, seq, at };
    this.#giveUpIfTooMuch();
    this.#wake();
  }

  warning(warning: Warning): void {
    this.#hold({ kind: 'warning', warning, seq: this.#seq++, at: Date.now() });
  }

  /** An error that does not end the stream. */
  error(error: CoxswainError): void {
    this.#hold({ kind: 'error', error, seq: this.#seq++, at: Date.now() });
  }

  /** A permission was asked for, or answered. It has no number of its own: only some readers want it. */
  permission(item: Unnumbered<PermissionItem>): void {
    this.#hold({ ...item, seq: this.#seq, at: Date.now() });
  }

  /** From now on it may cost something; the returned function is to be told how much. */
  charge(): (cost: TurnCost) => void {
    this.#charged = true;
    return this.#settleCost;
  }

  /** The turn is over. What was not taken yet can still be taken, unless the reader is to be told at once. */
  end(failure?: Error, atOnce = false): void {
    if (this.#over) return;
    this.#over = true;
    if (atOnce) this.#clear();
    this.#failure ??= failure;
    this.#settle(failure);
    if (!this.#charged) this.#settleCost(NO_COST);
    this.#wake();
  }

  expectReader(): void {
    if (this.#reader === 'none') this.#reader = 'reading';
  }

  take(): StreamItem | PermissionItem | undefined {
    this.expectReader();
    const entry = this.#entries[this.#head];
    if (entry === undefined) {
      if (this.#head > 0) this.#clear();
      return undefined;
    }
    // A reader that is always a little behind must not keep alive what it has taken.
    this.#entries[this.#head] = undefined;
    this.#head++;
    if (this.#head > 1_024 && this.#head * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
    this.#held -= entry.kind === 'held' ? entry.bytes : entry.rawJson.length;
    if (this.#held === 0) this.#options.onDrained();
    if (entry.kind === 'held') return entry.item;
    return entry.kind === 'line' ? parsed(entry) : entry;
  }

  async more(): Promise<boolean> {
    if (this.#head < this.#entries.length) return true;
    if (this.#failure || this.#over || this.#reader === 'gone') {
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) throw failure;
      return false;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return true;
  }

  /** The turn goes on; only this reader stops. */
  async leave(): Promise<void> {
    this.#stopReading();
  }

  #hold(item: WarningItem | ErrorItem | PermissionItem): void {
    if (this.#reader === 'gone' || this.#over) return;
    const bytes = JSON.stringify(item).length;
    this.#held += bytes;
    this.#entries.push({ kind: 'held', item, bytes });
    this.#giveUpIfTooMuch();
    this.#wake();
  }

  #giveUpIfTooMuch(): void {
    const { bufferBytes, backlogBytes, pausable } = this.#options;
    if (this.#reader === 'none') {
      if (this.#held > bufferBytes) this.#stopReading(new TurnNotKeptError(bufferBytes));
    } else if (this.#held > backlogBytes && !pausable()) {
      this.#stopReading(new ReaderTooSlowError(backlogBytes));
    }
  }

  #stopReading(failure?: Error): void {
    this.#reader = 'gone';
    this.#failure = failure;
    this.#clear();
    this.#options.onDrained();
    this.#wake();
  }

  #clear(): void {
    // In place: an array that is thrown away when it is old keeps what was in it alive until the next full collection.
    this.#entries.length = 0;
    this.#head = 0;
    this.#held = 0;
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

/** The line was parsed once already, so this cannot fail. */
function parsed({ rawJson, seq, at }: RawLine): StreamItem {
  const message: Message = JSON.parse(rawJson);
  keepRaw(message, rawJson);
  return { kind: 'message', message, rawJson, seq, at };
}
