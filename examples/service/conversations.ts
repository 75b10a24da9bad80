import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  deny,
  type Hooks,
  isCoxswainError,
  permissions,
  type ResumedRequest,
  type Session,
} from 'coxswain';
import type { SessionStore } from 'coxswain/store';
import type { Approvals } from './approvals.ts';
import type { Budgets } from './budgets.ts';
import { Conversation } from './conversation.ts';

/** Why a request is refused, with the HTTP status. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

// #region guard
const COMMANDS = ['npm test', 'npm publish'];

/** Not even a person can allow another command: whoever answers in a hurry must not be the only protection. */
const hooks: Hooks = {
  PreToolUse: {
    matcher: 'Bash',
    onFailure: 'block',
    run: (input) =>
      input.tool_name === 'Bash' && COMMANDS.includes(input.tool_input.command)
        ? undefined
        : deny(`Only these commands: ${COMMANDS.join(', ')}.`),
  },
};
// #endregion

export interface Parts {
  readonly client: Client;
  readonly store: SessionStore;
  readonly approvals: Approvals;
  readonly budgets: Budgets;
}

// #region open
/** The open conversations by customer and id. The store has the others. */
export class Conversations {
  readonly #open = new Map<string, Promise<Conversation>>();
  readonly #parts: Parts;
  #isClosing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Opens a conversation, or continues what the store has of it. Two requests get the same one. */
  at(customer: string, id: string): Promise<Conversation> {
    const key = `${customer}/${id}`;
    const there = this.#open.get(key);
    if (there !== undefined) return there;
    if (this.#open.size >= 50) throw new Refused(503, 'Too many conversations are open.');
    const opened = this.#start(customer, id);
    this.#open.set(key, opened);
    const forget = () => this.#open.delete(key);
    opened.then(({ session }) => session.closed).then(forget, forget);
    return opened;
  }

  async #start(customer: string, id: string): Promise<Conversation> {
    const { client, store, approvals, budgets } = this.#parts;
    const parked = await approvals.parkedIn(customer, id);
    const known = await store.load({ projectKey: customer, sessionId: id });
    const which = parked ? { parked } : known ? { resume: id } : { sessionId: id };
    const conversation = new Conversation((events) => {
      const session: Session = client.openSession({
        ...which,
        ...permissions({
          allow: ['Read', 'Grep', 'Glob', 'Bash(npm test)'],
          deny: ['WebFetch', 'WebSearch'],
          ask(request, { signal }) {
            events.add({ type: 'waiting', tool: request.toolName });
            return approvals.ask(customer, session, request, signal);
          },
        }),
        hooks,
        sessionStore: store,
        storeProject: customer, // a customer never reads the conversation of another one
        restart: true, // a crash of the CLI is not one of the service
        includePartialMessages: true,
        maxBudgetUsd: Math.max(budgets.left(customer), 0.001),
        onEvent(event) {
          // Together these are everything that the conversation costs, each dollar once.
          if (event.type === 'turn-ended') budgets.add(customer, event.costUsd);
          if (event.type === 'cost-reported') budgets.add(customer, event.cost.costUsd);
          if (event.type === 'restarting') events.add({ type: 'restarting' });
        },
      });
      return session;
    });
    if (parked) void this.#forgetOnceOver(customer, parked, conversation.session).catch(console.error);
    return conversation;
  }
  // #endregion

  // #region send
  async send(customer: string, id: string, prompt: string): Promise<void> {
    if (this.#parts.budgets.left(customer) === 0) throw new Refused(402, 'The budget of today is spent.');
    const conversation = await this.at(customer, id);
    if (conversation.session.waitingTurns().length >= 10) throw new Refused(429, 'Ten prompts wait already.');
    void conversation.follow(conversation.session.send(prompt, { timeoutMs: 24 * 3_600_000 }));
  }
  // #endregion

  // #region resume
  /** Continues the turns whose approvals were answered, but had not continued when the last process ended. */
  async resumeAnswered(): Promise<void> {
    for (const { customer, parked } of await this.#parts.approvals.parked())
      if (parked.answer) await this.at(customer, parked.sessionId);
  }

  async #forgetOnceOver(customer: string, parked: ResumedRequest, session: Session): Promise<void> {
    try {
      await session.parkedTurn?.result();
    } catch (error) {
      // The call was answered before, or has a result: nothing is left to do.
      const isOver = isCoxswainError(error, 'parked-request') && error.problem !== 'unguarded';
      if (!isOver) return this.#tryAgain(customer, parked.sessionId, session);
    }
    await this.#parts.approvals.remove(customer, parked);
  }

  /** An answer of a person is carried out, even if the CLI does not start at the moment. */
  async #tryAgain(customer: string, id: string, session: Session): Promise<void> {
    await session.close();
    await sleep(2_000, undefined, { ref: false });
    const parked = await this.#parts.approvals.parkedIn(customer, id);
    if (parked?.answer && !this.#isClosing) await this.at(customer, id);
  }
  // #endregion

  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    await this.#parts.approvals.kept();
    const over = sleep(graceMs, undefined, { ref: false });
    await Promise.all([...this.#open.values()].map(async (opened) => (await opened).close(over)));
  }
}
