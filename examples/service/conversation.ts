import { isCoxswainError, outcomeOf, type Session, type Turn, textDeltaOf, toolUsesOf } from 'coxswain';
import { Events } from './events.ts';

const IDLE_MS = 10 * 60_000;

// #region conversation
/** A conversation of a customer: one session, and the events of its turns. */
export class Conversation {
  readonly events = new Events();
  readonly session: Session;
  #turns = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(open: (events: Events) => Session) {
    this.session = open(this.events);
    if (this.session.parkedTurn) void this.follow(this.session.parkedTurn);
  }

  /** Never rejects: what happens to the turn is an event. */
  async follow(turn: Turn): Promise<void> {
    this.#turns += 1;
    clearTimeout(this.#idle);
    try {
      for await (const message of turn) {
        const text = textDeltaOf(message);
        if (text !== '') this.events.add({ type: 'text', text });
        for (const { name } of toolUsesOf(message)) this.events.add({ type: 'tool', name });
      }
      const outcome = outcomeOf(await turn.result());
      const text = outcome.kind === 'completed' ? outcome.text : outcome.message;
      const { costUsd } = await turn.cost();
      this.events.add({ type: 'done', outcome: outcome.kind, text, costUsd });
    } catch (error) {
      const code = isCoxswainError(error) ? error.code : 'unknown';
      if (code !== 'turn-parked') console.error(error); // customers get only the code
      this.events.add({ type: 'failed', code });
    } finally {
      this.#turns -= 1;
      // The process is given back; the next prompt resumes the conversation from the store.
      if (this.#turns === 0) this.#idle = setTimeout(() => void this.session.close(), IDLE_MS).unref();
    }
  }

  /** Lets turns end for a while. One that waits for a person need not end: its request is in a file. */
  async close(over: Promise<unknown>): Promise<void> {
    clearTimeout(this.#idle);
    if (this.session.pendingPermissions().length === 0) await Promise.race([this.session.idle(), over]);
    await this.session.close();
    this.events.end();
  }
}
// #endregion
