import { isCoxswainError, type Turn, type UserContent } from 'coxswain';
import type { Database } from '../database/database.ts';
import type { Claim } from './claim.ts';
import type { RunContext } from './run-context.ts';
import type { TurnWriter } from './writer.ts';

/** An addition to a turn that has not reached its agent. */
export interface StoredSteer {
  readonly id: string;
  readonly turn: string;
  readonly content: UserContent;
  readonly by: string;
}

/** The additions to these turns that have not reached their agents. */
export function waitingSteers(database: Database, turns: readonly string[]): Promise<StoredSteer[]> {
  return database.query<StoredSteer>(
    'select id, turn, content, by from @.steer where turn = any($1) and passed_at is null order by n',
    [turns],
  );
}

/**
 * Passes additions on to the agent of one turn, in their order and at most once: each is recorded as passed on before the agent gets it, in a
 * transaction that only the owner of the conversation can commit.
 */
export class Steering {
  readonly #claim: Claim;
  readonly #writer: TurnWriter;
  readonly #context: Pick<RunContext, 'database' | 'onError'>;
  readonly #known = new Set<string>();
  #waiting: StoredSteer[] = [];
  #turn: Turn | undefined;
  #passing: Promise<void> = Promise.resolve();

  constructor(claim: Claim, writer: TurnWriter, context: Pick<RunContext, 'database' | 'onError'>) {
    this.#claim = claim;
    this.#writer = writer;
    this.#context = context;
  }

  /** The prompt was sent. */
  begin(turn: Turn): void {
    const { database, onError } = this.#context;
    this.#turn = turn;
    this.pass([]);
    // An earlier run may have got additions that this one lacks.
    if (this.#claim.attempt > 1) waitingSteers(database, [this.#claim.id]).then((steers) => this.pass(steers), onError);
  }

  /** The agent has finished: it gets nothing more. Resolves when what it did not get is noted. */
  async end(): Promise<void> {
    this.#turn = undefined;
    this.#waiting = [];
    await this.#passing;
  }

  pass(steers: readonly StoredSteer[]): void {
    for (const steer of steers) {
      if (this.#known.has(steer.id)) continue;
      this.#known.add(steer.id);
      this.#waiting.push(steer);
    }
    if (this.#turn === undefined) return;
    this.#passing = this.#passing.then(() => this.#passAll()).catch(this.#context.onError);
  }

  async #passAll(): Promise<void> {
    for (;;) {
      const turn = this.#turn;
      const next = turn && this.#waiting.shift();
      if (turn === undefined || next === undefined) return;
      const { id, content, by } = next;
      this.#writer.event({ kind: 'steered', body: JSON.stringify({ steer: id, content, by }) });
      this.#mark(id, 'clock_timestamp()');
      await this.#writer.flush();
      try {
        await turn.steer(content);
      } catch (error) {
        // It ended meanwhile.
        this.#mark(id, 'null');
        if (!isCoxswainError(error, 'turn-ended')) throw error;
      }
    }
  }

  #mark(id: string, passedAt: 'null' | 'clock_timestamp()'): void {
    this.#writer.statement(
      async (sql) => void (await sql.query(`update @.steer set passed_at = ${passedAt} where id = $1`, [id])),
    );
  }
}
