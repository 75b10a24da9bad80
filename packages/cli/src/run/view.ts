import type { Outcome, ResultMessage, Session, StreamItem } from 'coxswain';
import type { TurnEnd } from '../render/summary.ts';

/** Shows a conversation: to a person, or as NDJSON to a program. */
export interface View {
  /** A turn begins. */
  begin(session: Session): void;
  /** Settles when there is room for more. */
  item(item: StreamItem): Promise<void>;
  /** What waits for an interrupted turn, or for work in the background. */
  waiting(why: string | undefined): void;
  /** The turn has ended. */
  end(end: ShownEnd): void;
  /** It could not come to an end. */
  failure(error: unknown, exitCode: number): void;
  close(): void;
}

/** What a view is told of a turn's end. */
export interface ShownEnd extends Omit<TurnEnd, 'toolCalls' | 'tokens'> {
  readonly outcome: Outcome;
  /** The last one; background work brings more. */
  readonly result: ResultMessage;
  readonly sessionId: string | undefined;
  readonly exitCode: number;
}
