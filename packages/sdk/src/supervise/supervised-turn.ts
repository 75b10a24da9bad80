import type { InterruptReceipt } from '../control/operations.ts';
import { TurnCancelledError, type TurnInterruptedError } from '../errors/session.ts';
import type { OutputSchema } from '../options/option-types.ts';
import { type TurnFields, type TurnHost, TurnStream } from '../session/turn.ts';
import { FollowingFeed } from '../stream/following-feed.ts';
import type { UserContent } from '../wire/messages.ts';

/** A turn that outlives the CLI it was sent to. Its id changes with each attempt: the CLI does not take the same twice. */
export class SupervisedTurn<T> extends TurnStream<T, FollowingFeed, SupervisedTurn<unknown>> {
  attempts = 0;
  /** Why it was sent again. */
  interruption: TurnInterruptedError | undefined;

  constructor(
    fields: TurnFields,
    deps: { host: TurnHost<SupervisedTurn<unknown>>; outputSchema: OutputSchema<T> | undefined },
  ) {
    super(new FollowingFeed(), fields, deps);
  }

  steer(content: UserContent): Promise<void> {
    return this.host.steer(this, content);
  }

  interrupt(): Promise<InterruptReceipt> {
    return this.host.interruptTurn(this);
  }

  /** Ends a turn that will not be sent, or not again. */
  drop(failure: Error = new TurnCancelledError()): void {
    this.feed.end(this.interruption ?? failure);
  }
}
