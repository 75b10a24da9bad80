import type { QueryStream, Session, Turn } from 'coxswain';
import { type ObservedPrompt, queryOf, sessionOf } from 'coxswain/observe';
import { answerBefore } from '../../conversations/answer-before.ts';
import type { Controls } from '../../conversations/controls.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import { Refusal } from '../../refusal.ts';
import type { RunFeed } from './run-feed.ts';
import type { WatchablePool } from './watchable.ts';

/** The actions on a run of this process. They do not keep the session alive: the program may drop it. */
export class RunControls {
  readonly #feed: RunFeed;
  readonly #pool: WatchablePool | undefined;
  readonly #adopt: (session: Session, parent: string | null) => ConversationRecord;
  /** Turns sent from the page, by id. */
  readonly #turns = new Map<string, Turn>();
  /** The user whose prompt is being sent from the page. */
  #sender: string | null = null;

  constructor(
    feed: RunFeed,
    pool: WatchablePool | undefined,
    adopt: (session: Session, parent: string | null) => ConversationRecord,
  ) {
    this.#feed = feed;
    this.#pool = pool;
    this.#adopt = adopt;
  }

  /** The inspector user who sent a prompt; `null` for the program. */
  senderOf(_prompt: ObservedPrompt): string | null {
    return this.#sender;
  }

  offered(): Controls {
    const { run } = this.#feed;
    if (run.kind === 'query') {
      return {
        close: async () => void (await this.#query().close()),
        answer: (id, decision) => this.#query().answerPermission(id, decision),
      };
    }
    const common: Controls = {
      steer: (text, { by }) => this.#as(by, () => this.#session().steer(text)),
      interrupt: async () => void (await this.#session().interrupt()),
      answer: (id, decision) => this.#session().answerPermission(id, decision),
      cancel: (turn) => this.#cancel(turn),
      fork: (text, _actor, before) => this.#fork(text, before),
    };
    if (run.pool === undefined) {
      return {
        ...common,
        send: (text, { by }) => this.#as(by, async () => this.#send(this.#session(), text)),
        close: async () => void (await this.#session().close()),
      };
    }
    // A prompt that bypasses the pool's queue would break the order of its key.
    return this.#pool === undefined ? common : { ...common, send: (text) => this.#submit(text) };
  }

  #query(): QueryStream {
    const query = queryOf(this.#feed.run);
    if (!query) throw new Refusal('not-possible', 'The program has dropped this query.');
    return query;
  }

  #session(): Session {
    const session = sessionOf(this.#feed.run);
    if (!session) throw new Refusal('not-possible', 'The program has dropped this session.');
    return session;
  }

  async #submit(text: string): Promise<void> {
    const key = this.#feed.run.pool?.key;
    if (key === null || key === undefined) {
      throw new Refusal('not-possible', 'Only conversations with a key can be continued in a pool.');
    }
    this.#pool?.submit({ key, prompt: text });
  }

  #send(session: Session, text: string): void {
    const turn = session.send(text);
    this.#turns.set(turn.id, turn);
    void readToEnd(turn).then(() => this.#turns.delete(turn.id));
  }

  async #cancel(turn: string | undefined): Promise<void> {
    const { waiting, running, jobs } = this.#feed;
    const id = turn ?? [...waiting].at(-1);
    const job = id === undefined ? undefined : jobs.get(id);
    const own = id === undefined ? undefined : this.#turns.get(id);
    if (job !== undefined && this.#pool) await this.#pool.cancel(job, 'cancelled in the inspector');
    else if (own) await own.interrupt();
    else if (id !== undefined && running.has(id)) await this.#session().interrupt();
    else if (id === undefined) throw new Refusal('not-possible', 'No turn is waiting.');
    else throw new Refusal('not-possible', 'This turn was sent by the program, and only the program can cancel it.');
  }

  async #fork(text: string | undefined, before: number | undefined): Promise<string> {
    const how = before === undefined ? {} : { resumeAt: answerBefore(this.#feed.record, before) };
    const fork = await this.#session().fork(how);
    const record = this.#adopt(fork, this.#feed.record.id);
    if (text !== undefined && text.trim() !== '') this.#send(fork, text);
    return record.id;
  }

  async #as<R>(by: string, work: () => Promise<R>): Promise<R> {
    this.#sender = by;
    try {
      return await work();
    } finally {
      this.#sender = null;
    }
  }
}

/** Reads a turn to its end; its record shows the outcome. */
async function readToEnd(turn: Turn): Promise<void> {
  try {
    for await (const _ of turn);
  } catch {
    // The record shows the error.
  }
}
