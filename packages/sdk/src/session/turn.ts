import type { InterruptReceipt } from '../control/operations.ts';
import { TurnCancelledError } from '../errors/session.ts';
import type { Thinking } from '../options/option-types.ts';
import { Feed, type FeedOptions, type ItemFeed } from '../stream/feed.ts';
import { FeedStream, type MessageStream, type StreamOwner } from '../stream/message-stream.ts';
import type { InContext } from '../timing/caller.ts';
import type { UserContent } from '../wire/messages.ts';
import type { TurnSettings } from './turn-settings.ts';
import type { Turns } from './turns.ts';

/** The options of one turn; all others belong to the session. */
export interface TurnOptions extends TurnSettings {
  /** Whether the model thinks in this turn, and how much. */
  readonly thinking?: Thinking | undefined;
  /** How long the turn may take. */
  readonly timeoutMs?: number | undefined;
  /** How long the CLI may be silent during the turn. */
  readonly idleTimeoutMs?: number | undefined;
  /** Aborting it rejects the turn and interrupts the CLI; the session continues. */
  readonly signal?: AbortSignal | undefined;
}

/** One prompt and everything the CLI answers to it. */
export interface Turn<T = unknown> extends MessageStream<T> {
  /** The uuid that was sent with the prompt; `rewindFiles` takes it. */
  readonly id: string;
  /** Adds to the prompt while the turn runs. @throws TurnEndedError */
  steer(content: UserContent): Promise<void>;
  /** Ends the turn early; a queued turn is removed before it is sent. */
  interrupt(): Promise<InterruptReceipt>;
}

/** What a turn is made from. */
export interface TurnFields {
  readonly id?: string | undefined;
  readonly content: UserContent;
  readonly options: TurnOptions;
  /** Runs a function in the async context of the caller who sent the prompt. */
  readonly inContext: InContext;
  /** Kept reachable while the turn runs: a session with a turn is not abandoned. */
  readonly holds?: object | undefined;
}

/** A turn over some feed: that of a session, or that of a restarting session. */
export abstract class TurnStream<T, F extends ItemFeed> extends FeedStream<T, F> implements Turn<T> {
  id: string;
  readonly content: UserContent;
  readonly options: TurnOptions;
  readonly inContext: InContext;
  readonly holds: object | undefined;

  constructor(feed: F, fields: TurnFields, owner: StreamOwner<T>) {
    super(feed, owner);
    this.id = fields.id ?? crypto.randomUUID();
    this.content = fields.content;
    this.options = fields.options;
    this.inContext = fields.inContext;
    this.holds = fields.holds;
  }

  abstract steer(content: UserContent): Promise<void>;
  abstract interrupt(): Promise<InterruptReceipt>;
}

/** A turn as the session handles it. */
export class SessionTurn<T> extends TurnStream<T, Feed> {
  /** The pipe has taken the prompt. */
  sent = false;
  readonly #turns: Turns;

  constructor(turns: Turns, fields: TurnFields, owner: StreamOwner<T>, feed: FeedOptions) {
    super(new Feed(feed), fields, owner);
    this.#turns = turns;
  }

  steer(content: UserContent): Promise<void> {
    return this.#turns.addTo(this, content);
  }

  interrupt(): Promise<InterruptReceipt> {
    return this.#turns.interrupt(this);
  }

  /** The turn ends without a result: its prompt was taken back. */
  cancel(): void {
    this.feed.end(new TurnCancelledError());
  }
}
