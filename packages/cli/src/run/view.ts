import type { Outcome, ResultMessage, Session, StreamItem } from 'coxswain';
import type { TurnEnd } from '../render/summary.ts';

/** Shows a conversation: to a person, or as NDJSON to a program. */
export interface View {
  /** A turn starts. */
  begin(session: Session): void;
  /** Settles when there is room for more. */
  item(item: StreamItem): Promise<void>;
  /** What the user waits for: an interrupted turn, or background work. */
  waiting(why: string | undefined): void;
  /** The turn has ended. */
  end(end: ShownEnd): void;
  /** The turn failed without a result. */
  failure(error: unknown, exitCode: number): void;
  close(): void;
}

/** The facts about a turn's end. */
export interface ShownEnd extends Omit<TurnEnd, 'toolCalls' | 'tokens'> {
  readonly outcome: Outcome;
  /** The last result; background work adds more. */
  readonly result: ResultMessage;
  readonly sessionId: string | undefined;
  readonly exitCode: number;
}
