import type { Message } from '../wire/messages.ts';
import { CoxswainError } from './base.ts';

/** The CLI died while it was at a turn; `cause` is how. What had come until then is here. */
export class TurnInterruptedError extends CoxswainError {
  declare readonly code: 'turn-interrupted';
  /** The turn's id. */
  readonly turn: string;
  /** What the model had said. */
  readonly text: string;
  /** What had come, without partial messages; of a very long turn only the last part. */
  readonly messages: readonly Message[];

  constructor(cut: { turn: string; text: string; messages: readonly Message[]; cause: unknown }) {
    super(
      'TurnInterruptedError',
      `The CLI died while it was at this turn: ${reasonOf(cut.cause)} ` +
        'What it had done by then is done: look at text and messages, and send the prompt again if that is safe.',
      { cause: cut.cause },
    );
    this.turn = cut.turn;
    this.text = cut.text;
    this.messages = cut.messages;
  }
}

/** The CLI died too often, and was not started again; `cause` is how it died last. */
export class RestartLimitError extends CoxswainError {
  declare readonly code: 'restart-limit';
  /** How often it was started again within the window. */
  readonly restarts: number;
  readonly windowMs: number;

  constructor(restarts: number, windowMs: number, cause: unknown) {
    super(
      'RestartLimitError',
      `The CLI died again after ${restarts} restarts within ${windowMs} ms (policy maxRestarts, windowMs), so the session was given up. ` +
        `The last time: ${reasonOf(cause)} Mend that, then start a new session with resume.`,
      { cause },
    );
    this.restarts = restarts;
    this.windowMs = windowMs;
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'it left by itself.';
}
