import { ReaderTooSlowError, TurnNotKeptError } from '../errors/turn.ts';
import { addCosts, NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import type { ItemFeed } from '../stream/feed.ts';
import { isPermissionItem, type PermissionItem, type StreamItem } from '../stream/items.ts';
import type { ResultMessage } from '../wire/messages.ts';

/**
 * The feed of a turn that may be tried more than once: hands on what each attempt gives. How an attempt ends says nothing
 * yet about the turn; whoever supervises it does.
 */
export class RelayFeed implements ItemFeed {
  readonly pulled = false;
  readonly ended: Promise<Error | undefined>;
  /** Of all attempts together. */
  readonly cost: Promise<TurnCost>;
  readonly #costs: Promise<TurnCost>[] = [];
  #attempt: ItemFeed | undefined;
  /** Attempts that came after the one that is being read. */
  readonly #later: ItemFeed[] = [];
  /** The number of the next item; each attempt counts from 0. */
  #seq = 0;
  #before = 0;
  /** Somebody reads it. */
  #read = false;
  #left = false;
  #over = false;
  #failure: Error | undefined;
  #waiting: (() => void)[] = [];
  #settle: (failure: Error | undefined) => void = () => {};

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.cost = this.ended
      .then(() => Promise.all(this.#costs))
      .then((costs) => costs.reduce<TurnCost>(addCosts, NO_COST));
  }

  get over(): boolean {
    return this.#over;
  }

  get results(): readonly ResultMessage[] {
    return (this.#later.at(-1) ?? this.#attempt)?.results ?? [];
  }

  /** The items of this attempt are handed on behind those of the ones before it. */
  follow(attempt: ItemFeed): void {
    this.#costs.push(attempt.cost);
    if (this.#attempt) this.#later.push(attempt);
    else this.#attempt = attempt;
    if (this.#read) attempt.expectReader?.();
    if (this.#left) void attempt.leave();
    this.#wake();
  }

  /** The turn is over. What was not taken yet can still be taken. */
  end(failure?: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = failure;
    this.#settle(failure);
    this.#wake();
  }

  take(): StreamItem | PermissionItem | undefined {
    this.#read = true;
    const item = this.#attempt?.take();
    if (item === undefined) return this.#goOn() ? this.take() : undefined;
    const seq = item.seq + this.#before;
    this.#seq = isPermissionItem(item) ? seq : seq + 1;
    return this.#before === 0 ? item : { ...item, seq };
  }

  async more(): Promise<boolean> {
    for (;;) {
      const attempt = this.#attempt;
      if (this.#left) return false;
      if (attempt && (await this.#moreOf(attempt))) return true;
      if (attempt !== this.#attempt || this.#goOn()) continue;
      if (this.#over) break;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
    return false;
  }

  async leave(): Promise<void> {
    this.#left = true;
    await Promise.all([this.#attempt, ...this.#later].map((attempt) => attempt?.leave()));
    this.#wake();
  }

  /** @throws what is wrong with the reader; what is wrong with the attempt is not its affair */
  async #moreOf(attempt: ItemFeed): Promise<boolean> {
    try {
      return await attempt.more();
    } catch (error) {
      if (!(error instanceof ReaderTooSlowError || error instanceof TurnNotKeptError)) return false;
      this.#left = true;
      throw error;
    }
  }

  /** The attempt that is read is through: on to the one after it, if there is one. */
  #goOn(): boolean {
    const next = this.#later.shift();
    if (next === undefined) return false;
    this.#attempt = next;
    this.#before = this.#seq;
    return true;
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
