import type { TurnCost } from 'coxswain';
import { type Database, type Transaction, whileUnavailable } from '../database/database.ts';
import { aboutConversation, JOBS, logEvent, notify } from '../database/log.ts';
import { LeaseLostError } from '../errors.ts';
import type { FleetLimits } from '../limits.ts';
import type { Queue } from '../queue/queue.ts';
import { wakeConversation } from '../queue/wake.ts';
import type { TurnOutcome } from '../turn/outcome.ts';
import { voidApprovals } from './approvals.ts';
import type { Claim } from './claim.ts';
import { type Fence, insertEntries, insertEvents, type NewEntry, type NewEvent, passFence } from './fence.ts';
import { afterOutcome } from './pauses.ts';
import { addSpend } from './quota.ts';

/** What a turn leaves behind when it ends. */
export interface FinalWrite {
  readonly outcome: TurnOutcome;
  readonly cost: TurnCost | undefined;
  readonly sessionId: string | undefined;
  readonly credential: string;
  /** Called before the transaction ends. */
  readonly beforeCommit: () => Promise<void>;
}

/** Writes what a turn says, in batches; each batch is one transaction behind the fence. */
export class TurnWriter {
  readonly fence: Fence;
  readonly #claim: Claim;
  readonly #database: Database;
  readonly #limits: FleetLimits;
  #events: NewEvent[] = [];
  /** How many events were taken, those that are stored included. */
  #taken = 0;
  #entries: NewEntry[] = [];
  #also: ((sql: Transaction) => Promise<void>)[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #hasPartials = false;
  #closed = false;
  /** Until when writing is tried while the database is away, by the monotonic clock. */
  readonly #until: () => number;
  readonly #failed: (error: unknown) => void;

  constructor(deps: {
    readonly database: Database;
    readonly limits: FleetLimits;
    readonly claim: Claim;
    readonly worker: string;
    readonly until: () => number;
    readonly failed: (error: unknown) => void;
  }) {
    this.#database = deps.database;
    this.#limits = deps.limits;
    this.#claim = deps.claim;
    this.#until = deps.until;
    this.#failed = deps.failed;
    this.fence = { key: deps.claim.key, owner: deps.worker, epoch: deps.claim.epoch };
  }

  /** Takes an event; it is stored within `flushMs`. */
  event(event: NewEvent): void {
    if (event.kind === 'partial') this.#hasPartials = true;
    this.#events.push(event);
    this.#taken += 1;
    this.#took(event.body.length);
  }

  /** Takes lines of transcripts. */
  entries(entries: readonly NewEntry[]): void {
    this.#entries.push(...entries);
    this.#took(entries.reduce((sum, { line }) => sum + line.length, 0));
  }

  /** Takes another statement for the next batch. */
  also(work: (sql: Transaction) => Promise<void>): void {
    this.#also.push(work);
    this.#took(0);
  }

  /** Resolves when the buffer has room. */
  async room(): Promise<void> {
    if (this.#bytes > this.#limits.bufferBytes) await this.flush();
  }

  /** Stores everything that was taken so far. @throws LeaseLostError, DatabaseUnavailableError */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const write = this.#writing.then(() => this.#write());
    this.#writing = write.catch(() => {});
    return write;
  }

  /** Gives the turn back, as if no worker had taken it: its prompt was not sent. @throws LeaseLostError */
  async giveBack(queue: Queue): Promise<void> {
    const { id, key, job, attempt } = this.#claim;
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    const body = JSON.stringify({ state: 'waiting', worker: null, attempt: attempt - 1 });
    this.event({ kind: 'state', body });
    const { before, events } = this.#take();
    const { schema } = this.#database;
    await whileUnavailable(
      () =>
        this.#database.transaction(async (sql) => {
          const { watched } = await this.#store(sql, { before, events, entries: [], also: [] });
          await sql.query('update @.conversation set owner = null, lease_until = null where key = $1', [key]);
          await sql.query(
            `update @.turn set state = 'waiting', epoch = null, worker = null, attempt = attempt - 1, started_at = null where id = $1`,
            [id],
          );
          await queue.giveBack(sql, job);
          await notify(sql, schema, JOBS);
          if (watched) await notify(sql, schema, aboutConversation(key));
        }),
      this.#until,
    );
  }

  /** Stores the rest, the outcome, the cost and the end of the job, and lets the conversation go: one transaction. @throws LeaseLostError */
  async commit(queue: Queue, final: FinalWrite): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    this.event({ kind: 'outcome', body: JSON.stringify({ outcome: final.outcome }) });
    const batch = this.#take();
    let tries = 0;
    await whileUnavailable(async () => {
      tries += 1;
      try {
        await this.#database.transaction((sql) => this.#commit(sql, queue, batch, final));
      } catch (error) {
        // The answer to an earlier commit may have been lost with its connection.
        if (error instanceof LeaseLostError && tries > 1 && (await this.#isDone())) return;
        throw error;
      }
    }, this.#until);
  }

  async #commit(
    sql: Transaction,
    queue: Queue,
    batch: Batch,
    { outcome, cost, sessionId, credential, beforeCommit }: FinalWrite,
  ): Promise<void> {
    const { id, key, tenant, job, epoch, probe } = this.#claim;
    const { watched } = await this.#store(sql, batch);
    await sql.query(
      `update @.conversation set owner = null, lease_until = null, session_id = coalesce($2, session_id), cost_usd = cost_usd + $3
       where key = $1`,
      [key, sessionId ?? null, cost?.costUsd ?? 0],
    );
    await sql.query(
      `update @.turn set state = 'done', outcome = $3, outcome_kind = $4, cost_usd = $5, cost = $6, ended_at = clock_timestamp()
       where id = $1 and epoch = $2`,
      [
        id,
        epoch,
        JSON.stringify(outcome),
        outcome.kind,
        cost?.costUsd ?? 0,
        cost === undefined ? null : JSON.stringify(cost),
      ],
    );
    await voidApprovals(sql, id);
    if (this.#hasPartials) await sql.query(`delete from @.event where turn = $1 and kind = 'partial'`, [id]);
    await queue.complete(sql, job);
    // This worker looks for work next, so no other is told.
    await wakeConversation(sql, queue, { key, tenant });
    await afterOutcome(sql, outcome, { credential, worker: this.fence.owner, probe });
    await logEvent(sql, 'turn-ended', {
      key,
      turn: id,
      worker: this.fence.owner,
      detail: { outcome: outcome.kind, costUsd: cost?.costUsd ?? 0 },
    });
    if (watched) await notify(sql, this.#database.schema, aboutConversation(key));
    // Last: all turns of a tenant write to this row, one after the other.
    await addSpend(sql, tenant, cost?.costUsd ?? 0);
    await beforeCommit();
  }

  async #isDone(): Promise<boolean> {
    const [turn] = await this.#database.query<{ state: string; epoch: number }>(
      'select state, epoch from @.turn where id = $1',
      [this.#claim.id],
    );
    return turn?.state === 'done' && turn.epoch === this.#claim.epoch;
  }

  #took(bytes: number): void {
    this.#bytes += bytes;
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.flush().catch(this.#failed);
    }, this.#limits.flushMs);
  }

  async #write(): Promise<void> {
    const batch = this.#take();
    if (batch.events.length + batch.entries.length + batch.also.length === 0) return;
    try {
      await whileUnavailable(() => this.#database.transaction((sql) => this.#store(sql, batch, true)), this.#until);
    } catch (error) {
      // The turn may end at this moment, and its last write may succeed: nothing before it may be missing then.
      this.#events.unshift(...batch.events);
      this.#entries.unshift(...batch.entries);
      this.#also.unshift(...batch.also);
      throw error;
    }
  }

  #take(): Batch {
    const before = this.#taken - this.#events.length;
    const batch = { before, events: this.#events, entries: this.#entries, also: this.#also };
    this.#events = [];
    this.#entries = [];
    this.#also = [];
    this.#bytes = 0;
    return batch;
  }

  async #store(
    sql: Transaction,
    { before, events, entries, also }: Batch,
    tell = false,
  ): Promise<{ readonly watched: boolean }> {
    const { missing, firstSeq, watched } = await passFence(sql, this.fence, before + events.length);
    await insertEvents(sql, this.fence.key, this.#claim.id, firstSeq, events.slice(events.length - missing));
    await insertEntries(sql, this.fence.key, entries);
    for (const work of also) await work(sql);
    if (tell && watched && events.length > 0)
      await notify(sql, this.#database.schema, aboutConversation(this.fence.key));
    return { watched };
  }
}

interface Batch {
  /** How many events came before these. */
  readonly before: number;
  readonly events: NewEvent[];
  readonly entries: NewEntry[];
  readonly also: ((sql: Transaction) => Promise<void>)[];
}
