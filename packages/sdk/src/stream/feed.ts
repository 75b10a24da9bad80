import type { TurnCost } from '../messages/turn-cost.ts';
import type { ResultMessage } from '../wire/messages.ts';
import type { PermissionItem, StreamItem } from './items.ts';

/** Where a message stream gets its items from: a one-shot run, or a turn of a session. */
export interface ItemFeed {
  /** The next item if one is there already. The `seq` of a permission is that of the item after it. */
  take(): StreamItem | PermissionItem | undefined;
  /** Resolves to true when `take` may have something, to false when the feed has ended. @throws the terminal error, once */
  more(): Promise<boolean>;
  /** A reader will come to it: it is to be kept for. */
  expectReader?(): void;
  /** The reader leaves early; resolves when it need not wait any longer. */
  leave(): Promise<void>;
  /** True when the feed moves only while somebody reads it. */
  readonly pulled: boolean;
  readonly results: readonly ResultMessage[];
  /** Settles when the feed has ended and everything was taken; never rejects. `undefined` is an end without an error. */
  readonly ended: Promise<Error | undefined>;
  /** Settles when it is known what the feed has cost, which may be after its end; never rejects. */
  readonly cost: Promise<TurnCost>;
}
