import type { InterruptReceipt } from '../control/operations.ts';
import { TurnCancelledError } from '../errors/turn.ts';
import type { OutputSchema, Thinking } from '../options/groups.ts';
import type { Redactor } from '../redact.ts';
import type { InContext } from '../stream/async-context.ts';
import { FeedStream, type MessageStream } from '../stream/message-stream.ts';
import type { Warning } from '../warnings/warning.ts';
import type { UserContent } from '../wire/messages.ts';
import { TurnFeed, type TurnFeedOptions } from './turn-feed.ts';
import type { TurnSettings } from './turn-settings.ts';

/** What a turn may have of its own; everything else belongs to the session. */
export interface TurnOptions extends TurnSettings {
  /** Whether the model thinks in this turn, and how much. */
  readonly thinking?: Thinking | undefined;
  /** How long the turn may take. */
  readonly timeoutMs?: number | undefined;
  /** How long the CLI may be silent in it. */
  readonly idleTimeoutMs?: number | undefined;
  /** Aborting it rejects the turn and interrupts the CLI; the session goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** One prompt and everything the CLI says to it. */
export interface Turn<T = unknown> extends MessageStream<T> {
  /** The uuid that was sent with the prompt; `rewindFiles` takes it. */
  readonly id: string;
  /** Says something more while the turn runs. @throws TurnEndedError */
  steer(content: UserContent): Promise<void>;
  /** Ends the turn early; one that still waits is taken back unsent. */
  interrupt(): Promise<InterruptReceipt>;
}

/** What a turn asks of its session. */
export interface TurnHost {
  steer(turn: SessionTurn<unknown>, content: UserContent): Promise<void>;
  interruptTurn(turn: SessionTurn<unknown>): Promise<InterruptReceipt>;
  warn(warning: Warning): void;
  readonly redact: Redactor;
}

/** A turn as the session handles it. */
export class SessionTurn<T> extends FeedStream<T> implements Turn<T> {
  readonly id: string;
  readonly content: UserContent;
  readonly options: TurnOptions;
  readonly feed: TurnFeed;
  /** Runs something in the async context of whoever sent the prompt. */
  readonly inContext: InContext;
  /** Kept reachable while the turn is under way: a session that somebody waits for is not an abandoned one. */
  readonly holds: object | undefined;
  /** The pipe has taken the prompt. */
  sent = false;
  readonly #host: TurnHost;

  constructor(
    fields: {
      id: string;
      content: UserContent;
      options: TurnOptions;
      inContext: InContext;
      holds?: object;
    },
    surroundings: { host: TurnHost; feed: TurnFeedOptions; outputSchema: OutputSchema<T> | undefined },
  ) {
    const feed = new TurnFeed(surroundings.feed);
    super(feed, {
      outputSchema: surroundings.outputSchema,
      warn: (warning) => surroundings.host.warn(warning),
      redact: surroundings.host.redact,
    });
    this.id = fields.id;
    this.content = fields.content;
    this.options = fields.options;
    this.inContext = fields.inContext;
    this.feed = feed;
    this.holds = fields.holds;
    this.#host = surroundings.host;
  }

  steer(content: UserContent): Promise<void> {
    return this.#host.steer(this, content);
  }

  interrupt(): Promise<InterruptReceipt> {
    return this.#host.interruptTurn(this);
  }

  /** The turn waited, and was taken back. */
  cancel(): void {
    this.feed.end(new TurnCancelledError());
  }
}
