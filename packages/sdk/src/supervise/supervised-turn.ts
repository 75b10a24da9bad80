import type { InterruptReceipt } from '../control/operations.ts';
import type { TurnInterruptedError } from '../errors/supervise.ts';
import { TurnCancelledError } from '../errors/turn.ts';
import type { OutputSchema } from '../options/groups.ts';
import type { Redactor } from '../redact.ts';
import type { Turn, TurnOptions } from '../session/turn.ts';
import type { InContext } from '../stream/async-context.ts';
import { FeedStream } from '../stream/message-stream.ts';
import type { Warning } from '../warnings/warning.ts';
import type { UserContent } from '../wire/messages.ts';
import { RelayFeed } from './relay-feed.ts';

/** What a turn asks of its supervisor. */
export interface SupervisedTurnHost {
  steer(turn: SupervisedTurn<unknown>, content: UserContent): Promise<void>;
  interruptTurn(turn: SupervisedTurn<unknown>): Promise<InterruptReceipt>;
  warn(warning: Warning): void;
  readonly redact: Redactor;
}

/** A turn that outlives the CLI it was sent to. */
export class SupervisedTurn<T> extends FeedStream<T> implements Turn<T> {
  /** Another one for each attempt: the CLI does not take the same twice. */
  id: string;
  attempts = 0;
  /** Why it was sent again. */
  interruption: TurnInterruptedError | undefined;
  readonly content: UserContent;
  readonly options: TurnOptions;
  readonly inContext: InContext;
  /** Kept reachable while the turn is under way: a session that somebody waits for is not an abandoned one. */
  readonly holds: object;
  readonly feed: RelayFeed;
  readonly #host: SupervisedTurnHost;

  constructor(
    fields: {
      id?: string | undefined;
      content: UserContent;
      options: TurnOptions;
      inContext: InContext;
      holds: object;
    },
    surroundings: { host: SupervisedTurnHost; outputSchema: OutputSchema<T> | undefined },
  ) {
    const feed = new RelayFeed();
    super(feed, {
      outputSchema: surroundings.outputSchema,
      warn: (warning) => surroundings.host.warn(warning),
      redact: surroundings.host.redact,
    });
    this.id = fields.id ?? crypto.randomUUID();
    this.content = fields.content;
    this.options = fields.options;
    this.inContext = fields.inContext;
    this.holds = fields.holds;
    this.feed = feed;
    this.#host = surroundings.host;
  }

  steer(content: UserContent): Promise<void> {
    return this.#host.steer(this, content);
  }

  interrupt(): Promise<InterruptReceipt> {
    return this.#host.interruptTurn(this);
  }

  /** It will not be sent, or not once more. */
  drop(failure: Error = new TurnCancelledError()): void {
    this.feed.end(this.interruption ?? failure);
  }
}
