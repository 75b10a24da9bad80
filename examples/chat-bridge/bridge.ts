/** Agents in a chat such as Slack: a thread is a conversation, and an approver presses a button in it. */
import {
  allow,
  type Client,
  decideLater,
  deny,
  isCoxswainError,
  type JobOutcome,
  type Pool,
  permissions,
} from 'coxswain';

/** What the bridge needs of a chat. */
export interface Chat {
  /** Adds a message to a thread; `buttons` are values by their labels. */
  post(thread: string, text: string, buttons?: Readonly<Record<string, string>>): Promise<void>;
}

export interface BridgeOptions {
  readonly client: Client;
  readonly chat: Chat;
  /** The users who may answer approvals, by the id that the chat has verified. */
  readonly approvers: readonly string[];
}

// #region bridge
export class Bridge {
  readonly #pool: Pool;
  readonly #options: BridgeOptions;
  readonly #watching: Promise<void>;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#pool = options.client.createPool({
      size: 4, // processes; a hundred threads share them
      queue: 100,
      defaults: {
        ...permissions({
          allow: ['Read', 'Grep', 'Glob'],
          deny: ['WebFetch'],
          ask: () => decideLater(),
        }),
        timeoutMs: 60 * 60_000,
        maxBudgetUsd: 2, // for each thread
        limits: { permissionTimeoutMs: 30 * 60_000 }, // then the call is denied
      },
    });
    this.#watching = this.#askApprovers();
  }

  /** A message of a user. Messages of one thread are answered in order, in one conversation. */
  async message(thread: string, text: string): Promise<void> {
    try {
      await this.#options.chat.post(thread, answerOf(await this.#pool.run({ key: thread, prompt: text })));
    } catch (error) {
      if (!isCoxswainError(error)) throw error;
      await this.#options.chat.post(thread, `That did not work: ${error.code}.`); // the queue is full, for example
    }
  }

  /** A button was pressed. The value is that of the button, and the user the one whom the chat has verified. */
  async pressed(thread: string, user: string, value: string): Promise<void> {
    const [decision, id = ''] = value.split(' ');
    if (!this.#options.approvers.includes(user)) return this.#options.chat.post(thread, 'You may not answer this.');
    const asked = this.#pool.pendingPermissions().find((pending) => pending.id === id && pending.key === thread);
    if (!asked) return this.#options.chat.post(thread, 'That is answered, or too late.');
    await this.#pool.answerPermission(id, decision === 'allow' ? allow() : deny(`${user} said no.`));
    await this.#options.chat.post(thread, `${user}: ${decision === 'allow' ? 'allowed' : 'denied'} ${asked.toolName}.`);
  }

  async close(): Promise<void> {
    await this.#pool.drain({ timeoutMs: 30_000 });
    await this.#watching;
  }

  async #askApprovers(): Promise<void> {
    for await (const event of this.#pool.events()) {
      if (event.type !== 'permission-requested' || event.key === null) continue;
      const { toolName, input } = event.request;
      const text = JSON.stringify(input);
      // Nobody allows what they have not read in full.
      const isShort = text.length <= 3_000;
      const question = `May I run ${toolName}? ${isShort ? text : `(${text.length} characters, too long for a chat)`}`;
      const buttons = { ...(isShort && { Allow: `allow ${event.id}` }), Deny: `deny ${event.id}` };
      // A message that is not posted must not stop the others; the call is denied when its time is over.
      await this.#options.chat.post(event.key, question, buttons).catch(console.error);
    }
  }
}
// #endregion

function answerOf(job: JobOutcome): string {
  if (job.status !== 'finished') return `That did not work: ${job.error.code}.`;
  return job.outcome.kind === 'completed' ? job.outcome.text : `That did not work: ${job.outcome.kind}.`;
}
