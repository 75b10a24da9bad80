import { JOBS, notify } from '../database/log.ts';
import type { Queue } from '../queue/queue.ts';
import { wakeConversation } from '../queue/wake.ts';
import { endCancelled } from './end-cancelled.ts';
import { type OneByOne, oneByOne } from './one-by-one.ts';

/** Maximum number of turns that one round handles. */
const PAGE = 100;

interface ParkedTurnsParts extends OneByOne {
  readonly queue: Queue;
  readonly worker: string;
}

/** What idle workers do for parked turns: they end those that were cancelled, and queue those whose approval is decided. */
export class ParkedTurns {
  readonly #parts: ParkedTurnsParts;
  /** Where the next round continues, so that turns that cannot be changed now do not keep the others waiting. */
  #cancelledAfter = '';
  #decidedAfter = '';
  #tending: Promise<void> | undefined;

  constructor(parts: ParkedTurnsParts) {
    this.#parts = parts;
  }

  /** Starts a round, unless one is running. What it finds is notified as a new job. */
  tend(): void {
    const { onError } = this.#parts;
    this.#tending ??= Promise.all([this.#endCancelled().catch(onError), this.#wakeDecided().catch(onError)]).then(
      () => {
        this.#tending = undefined;
      },
    );
  }

  /** Resolves when no round is running. */
  async idle(): Promise<void> {
    await this.#tending;
  }

  async #endCancelled(): Promise<void> {
    const { database, queue, worker } = this.#parts;
    const found = await database.query<{ key: string }>(
      `select key from @.turn where state = 'parked' and cancelled_by is not null and key > $1 order by key limit $2`,
      [this.#cancelledAfter, PAGE],
    );
    this.#cancelledAfter = (found[PAGE - 1] ?? FIRST).key;
    await oneByOne(this.#parts, found, (sql, { key }) => endCancelled(sql, database.schema, queue, { key, worker }));
  }

  async #wakeDecided(): Promise<void> {
    const { database, queue } = this.#parts;
    const decided = await database.query<{ turn: string; key: string; tenant: string }>(
      `select turn.id as turn, turn.key, turn.tenant from @.approval join @.turn on turn.id = approval.turn
       where approval.state in ('answered', 'expired') and not approval.delivered and approval.turn > $1
         and turn.state = 'parked' and turn.approval = approval.id and turn.job is null
       order by approval.turn limit $2`,
      [this.#decidedAfter, PAGE],
    );
    this.#decidedAfter = (decided[PAGE - 1] ?? FIRST).turn;
    await oneByOne(this.#parts, decided, async (sql, { key, tenant }) => {
      const locked = await sql.query('select 1 from @.conversation where key = $1 for update skip locked', [key]);
      const woken = locked.length > 0 && (await wakeConversation(sql, queue, { key, tenant }));
      if (woken) await notify(sql, database.schema, JOBS);
    });
  }
}

/** Before all keys and turns: the last page was not full, so the next round begins again. */
const FIRST = { key: '', turn: '' };
