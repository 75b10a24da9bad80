import { ReaderTooSlowError, TurnNotKeptError } from '../errors/session.ts';
import { addCosts, NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import { Deferred } from '../timing/timers.ts';
import type { ResultMessage } from '../wire/messages.ts';
import type { ItemFeed } from './feed.ts';
import { isPermissionItem, type PermissionItem, type StreamItem } from './items.ts';
import { Waiters } from './queue.ts';

/** Changes an item before the reader gets it. */
export type ItemMapper = (item: StreamItem | PermissionItem) => StreamItem | PermissionItem;

/**
 * A feed that starts later: it passes on the items of the feeds it follows, one after the other. The end of a followed feed
 * does not end this feed; its owner calls `end`.
 */
export class FollowingFeed implements ItemFeed {
  readonly drained = false;
  readonly #ended = new Deferred<Error | undefined>();
  readonly ended: Promise<Error | undefined> = this.#ended.promise;
  /** The sum over all followed feeds. */
  readonly cost: Promise<TurnCost> = this.ended
    .then(() => Promise.all(this.#costs))
    .then((costs) => costs.reduce<TurnCost>(addCosts, NO_COST));
  /** The first element is being read. */
  readonly #followed: { readonly feed: ItemFeed; readonly map: ItemMapper | undefined }[] = [];
  readonly #costs: Promise<TurnCost>[] = [];
  readonly #waiters = new Waiters();
  /** The `seq` of the next item; each followed feed counts from 0. */
  #seq = 0;
  #before = 0;
  #read = false;
  #takesPermissions = true;
  #left = false;
  #hasEnded = false;
  #failure: Error | undefined;

  get results(): readonly ResultMessage[] {
    return this.#followed.at(-1)?.feed.results ?? [];
  }

  /** Passes on the items of `feed` after those of the feeds before it. */
  follow(feed: ItemFeed, map?: ItemMapper): void {
    this.#costs.push(feed.cost);
    this.#followed.push({ feed, map });
    if (this.#read) feed.expectReader();
    if (!this.#takesPermissions) feed.refusePermissions();
    if (this.#left) void feed.leave();
    this.#waiters.wake();
  }

  /** Ends the feed. Remaining items can still be taken. */
  end(failure?: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#failure = failure;
    this.#ended.resolve(failure);
    this.#waiters.wake();
  }

  expectReader(): void {
    this.#read = true;
    for (const { feed } of this.#followed) feed.expectReader();
  }

  refusePermissions(): void {
    this.#takesPermissions = false;
    for (const { feed } of this.#followed) feed.refusePermissions();
  }

  take(): StreamItem | PermissionItem | undefined {
    this.#read = true;
    const current = this.#followed[0];
    const item = current?.feed.take();
    if (item === undefined) return this.#advance() ? this.take() : undefined;
    const seq = item.seq + this.#before;
    this.#seq = isPermissionItem(item) ? seq : seq + 1;
    const numbered = this.#before === 0 ? item : { ...item, seq };
    return current?.map ? current.map(numbered) : numbered;
  }

  async more(): Promise<boolean> {
    for (;;) {
      const current = this.#followed[0];
      if (this.#left) return false;
      if (current && (await this.#moreOf(current.feed))) return true;
      if (current !== this.#followed[0] || this.#advance()) continue;
      if (this.#hasEnded) break;
      await this.#waiters.wait();
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
    return false;
  }

  async leave(): Promise<void> {
    this.#left = true;
    await Promise.all(this.#followed.map(({ feed }) => feed.leave()));
    this.#waiters.wake();
  }

  /** @throws the errors about a slow or missing reader. The owner handles all other failures. */
  async #moreOf(feed: ItemFeed): Promise<boolean> {
    try {
      return await feed.more();
    } catch (error) {
      if (!(error instanceof ReaderTooSlowError || error instanceof TurnNotKeptError)) return false;
      this.#left = true;
      throw error;
    }
  }

  /** Continues with the next followed feed. Returns false if the last one is being read. */
  #advance(): boolean {
    if (this.#followed.length < 2) return false;
    this.#followed.shift();
    this.#before = this.#seq;
    return true;
  }
}
