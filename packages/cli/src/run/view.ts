import type { Outcome, ResultMessage, Session, StreamItem } from 'coxswain';
import type { TurnEnd } from '../render/summary.ts';

/** Shows a conversation: to a person, or as NDJSON to a program. */
export interface View {
  /** Called when a turn starts. */
  begin(session: Session): void;
  /** Settles when the view can take more. */
  item(item: StreamItem): Promise<void>;
  /** Shows what the user waits for: an interrupted turn, or background work. */
  waiting(why: string | undefined): void;
  /** Called when the turn has ended. */
  end(end: ShownEnd): void;
  /** Called when the turn failed without a result. */
  failure(error: unknown, exitCode: number): void;
  close(): void;
}

/** The data of the end of a turn. */
export interface ShownEnd extends Omit<TurnEnd, 'toolCalls' | 'tokens'> {
  readonly outcome: Outcome;
  /** The last result; background work adds more. */
  readonly result: ResultMessage;
  readonly sessionId: string | undefined;
  readonly exitCode: number;
}
