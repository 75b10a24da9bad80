import type { Turn, UserContent } from 'coxswain';
import { isCommand } from './is-command.ts';
import type { TurnWriter } from './writer.ts';

/** What the agent of a turn must read before its prompt. */
export class TurnNotice {
  readonly #writer: Pick<TurnWriter, 'event'>;
  #text: string | undefined;

  constructor(writer: Pick<TurnWriter, 'event'>) {
    this.#writer = writer;
  }

  /** Sets the notice; followers see it at once. */
  give(text: string): void {
    this.#text = text;
    this.#writer.event({ kind: 'notice', body: JSON.stringify({ text }) });
  }

  /** The prompt behind the notice. A command must be alone in its prompt. */
  before(prompt: UserContent): UserContent {
    const text = this.#text;
    if (text === undefined || isCommand(prompt)) return prompt;
    return typeof prompt === 'string' ? `${text}\n\n${prompt}` : [{ type: 'text', text }, ...prompt];
  }

  /** Adds the notice to a resumed turn, whose prompt was sent before. */
  pass(turn: Pick<Turn, 'steer'>): void {
    // The turn may end before it is read; followers have it.
    if (this.#text !== undefined) void turn.steer(this.#text).catch(() => {});
  }
}
