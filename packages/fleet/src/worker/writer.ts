import type { TurnCost } from 'coxswain';
import type { Database, Transaction } from '../database/database.ts';
import { isPermanent, reasonOf } from '../database/failure.ts';
import { aboutConversation, logEvent, notify } from '../database/log.ts';
import { pipelined } from '../database/pipelined.ts';
import { retryWhileUnavailable } from '../database/retry.ts';
import { LeaseLostError } from '../errors.ts';
import type { FleetLimits } from '../limits.ts';
import type { Queue } from '../queue/queue.ts';
import { wakeConversation } from '../queue/wake.ts';
import { refusedOutcome, type TurnOutcome } from '../turn/outcome.ts';
import type { Claim } from './claim.ts';
import { type Fence, insertEntries, insertEvents, type NewEntry, type NewEvent, passFence } from './fence.ts';
import { afterOutcome } from './pauses.ts';
import { addSpend } from './quota.ts';
import { voidApprovals } from './void-approvals.ts';
import type { WarmHint } from './warm-sessions.ts';

/** The last write of a turn. */
export interface FinalWrite {
  readonly outcome: TurnOutcome;
  readonly cost: TurnCost | undefined;
  readonly sessionId: string | undefined;
  readonly credential: string;
  /** Recorded if the agent's process waits for the next turn. */
  readonly warm: WarmHint | undefined;
  /** Called before the commit. */
  readonly beforeCommit: () => Promise<void>;
  /** Called if the database refuses to store the agent's output. */
  readonly onRefused: (error: unknown) => void;
}

/** Writes the output of a turn in batches; each batch is one transaction behind the fence. */
export class TurnWriter {
  readonly fence: Fence;
  readonly #claim: Claim;
  readonly #database: Database;
  readonly #limits: FleetLimits;
  #events: NewEvent[] = [];
  /** The number of events so far, including stored ones. */
  #eventCount = 0;
  #entries: NewEntry[] = [];
  #statements: ((sql: Transaction) => Promise<void>)[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #hasPartials = false;
  #closed = false;
  /** Until when writes are repeated while the database is down, by the monotonic clock. */
  readonly #until: () => number;
  readonly #failed: (error: unknown) => void;
  readonly #renewed: (requestedAt: number) => void;

  constructor(deps: {
    readonly database: Database;
    readonly limits: FleetLimits;
    readonly claim: Claim;
    readonly worker: string;
    readonly until: () => number;
    readonly failed: (error: unknown) => void;
    /** Called when a write has renewed the lease, with the time it was sent. */
    readonly renewed: (requestedAt: number) => void;
  }) {
    this.#database = deps.database;
    this.#limits = deps.limits;
    this.#claim = deps.claim;
    this.#until = deps.until;
    this.#failed = deps.failed;
    this.#renewed = deps.renewed;
    const { key, epoch, token } = deps.claim;
    this.fence = { key, owner: deps.worker, epoch, claim: token, leaseMs: deps.limits.leaseMs };
  }

  /** Adds an event; it is written within `flushMs`. */
  event(event: NewEvent): void {
    if (event.kind === 'partial') this.#hasPartials = true;
    this.#events.push(event);
    this.#eventCount += 1;
    this.#scheduleFlush(event.body.length);
  }

  /** Adds lines of transcripts. */
  entries(entries: readonly NewEntry[]): void {
    this.#entries.push(...entries);
    this.#scheduleFlush(entries.reduce((sum, { line }) => sum + line.length, 0));
  }

  /** Adds another statement to the next batch. */
  statement(work: (sql: Transaction) => Promise<void>): void {
    this.#statements.push(work);
    this.#scheduleFlush(0);
  }

  /** Waits until the buffer has room. */
  async waitForRoom(): Promise<void> {
    if (this.#bytes > this.#limits.bufferBytes) await this.flush();
  }

  /** Writes everything added so far. @throws LeaseLostError, DatabaseUnavailableError */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const write = this.#writing.then(() => this.#write());
    this.#writing = write.catch(() => {});
    return write;
  }

  /** Checks that no other worker has the conversation, and renews the lease. @throws LeaseLostError */
  async renewLease(): Promise<void> {
    const { requestedAt } = await retryWhileUnavailable(
      () => this.#database.transaction((sql) => passFence(sql, this.fence)),
      this.#until,
    );
    this.#renewed(requestedAt);
  }

  /**
   * Stores the rest of the output, and gives the turn up without an outcome: `work` releases the conversation in the same transaction.
   * @throws LeaseLostError
   */
  async leave(events: readonly NewEvent[], work: (sql: Transaction) => Promise<void>): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    for (const event of events) this.event(event);
    const batch = this.#take();
    await this.#storeFinal(
      async (sql) => {
        const { watched } = await this.#store(sql, batch);
        if (watched) await notify(sql, this.#database.schema, aboutConversation(this.fence.key));
        await work(sql);
      },
      // Whoever has the turn now, this claim was released.
      async () => true,
    );
  }

  /** Forgets the lines of transcripts that were not stored: no prompt was sent. */
  dropEntries(): void {
    this.#entries = [];
    this.#statements = [];
  }

  /** True if partial messages were stored. */
  get hasPartials(): boolean {
    return this.#hasPartials;
  }

  /**
   * Stores the rest of the output, the outcome, the cost and the completion of the job, and releases the conversation, in one
   * transaction. Returns the stored outcome, which differs if the database refuses the agent's output. @throws LeaseLostError
   */
  async commit(queue: Queue, final: FinalWrite): Promise<TurnOutcome> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    this.event(outcomeEvent(final.outcome));
    try {
      await this.#end(queue, this.#take(), final);
      return final.outcome;
    } catch (error) {
      return this.commitRefused(queue, final, error);
    }
  }

  /** Stores the end of a turn whose output the database refuses. Returns its outcome. @throws the error if it is about something else */
  async commitRefused(queue: Queue, final: FinalWrite, error: unknown): Promise<TurnOutcome> {
    if (!isPermanent(error)) throw error;
    final.onRefused(error);
    const outcome = refusedOutcome(reasonOf(error) ?? 'no code');
    const batch = { before: undefined, events: [outcomeEvent(outcome)], entries: [], statements: [] };
    // The transcript lacks what the process has in its memory.
    await this.#end(queue, batch, { ...final, outcome, warm: undefined });
    return outcome;
  }

  #end(queue: Queue, batch: Batch, final: FinalWrite): Promise<void> {
    return this.#storeFinal(
      (sql) => this.#commit(sql, queue, batch, final),
      () => this.#isDone(),
    );
  }

  /** Repeats the last transaction of the claim until it is stored. The response to an earlier commit may have been lost. */
  async #storeFinal(work: (sql: Transaction) => Promise<void>, isStored: () => Promise<boolean>): Promise<void> {
    let attempts = 0;
    await retryWhileUnavailable(async () => {
      attempts += 1;
      try {
        await this.#database.transaction(work);
      } catch (error) {
        if (error instanceof LeaseLostError && attempts > 1 && (await isStored())) return;
        throw error;
      }
    }, this.#until);
  }

  async #commit(
    sql: Transaction,
    queue: Queue,
    batch: Batch,
    { outcome, cost, sessionId, credential, warm, beforeCommit }: FinalWrite,
  ): Promise<void> {
    const { id, key, tenant, job, token, probe, parked } = this.#claim;
    const { watched } = await this.#store(sql, batch);
    const usd = cost?.costUsd ?? 0;
    await pipelined([
      sql.query(
        `update @.conversation set owner = null, claim = null, lease_until = null, session_id = coalesce($2, session_id), cost_usd = cost_usd + $3,
           warm_claim = $4, warm_worker = $5, warm_prefer_ms = $6, warm_until = clock_timestamp() + $7 * interval '1 ms'
         where key = $1`,
        [
          key,
          sessionId ?? null,
          usd,
          warm ? token : null,
          warm ? this.fence.owner : null,
          warm?.preferMs ?? null,
          warm?.keepWarmMs ?? null,
        ],
      ),
      sql.query(
        `update @.turn set state = 'done', outcome = $3, outcome_kind = $4, cost_usd = $5, cost = $6, ended_at = clock_timestamp()
         where id = $1 and claim = $2`,
        [id, token, JSON.stringify(outcome), outcome.kind, usd, cost === undefined ? null : JSON.stringify(cost)],
      ),
      voidApprovals(sql, queue, { turn: id, worker: this.fence.owner }),
      // The worker that parked the turn may have stored some.
      this.#hasPartials || parked
        ? sql.query(`delete from @.event where turn = $1 and kind = 'partial'`, [id])
        : undefined,
      logEvent(sql, 'turn-ended', {
        key,
        turn: id,
        worker: this.fence.owner,
        detail: { outcome: outcome.kind, costUsd: usd },
      }),
      watched ? notify(sql, this.#database.schema, aboutConversation(key)) : undefined,
      queue.complete(sql, job),
    ]);
    // This worker searches for work next, so the others need no notification.
    await wakeConversation(sql, queue, { key, tenant });
    await afterOutcome(sql, outcome, { credential, worker: this.fence.owner, probe });
    // Last, to lock this row briefly: all turns of a tenant write to it.
    await addSpend(sql, tenant, usd);
    await beforeCommit();
  }

  async #isDone(): Promise<boolean> {
    const { id, token } = this.#claim;
    const found = await this.#database.query(`select 1 from @.turn where id = $1 and claim = $2 and state = 'done'`, [
      id,
      token,
    ]);
    return found.length > 0;
  }

  #scheduleFlush(bytes: number): void {
    this.#bytes += bytes;
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.flush().catch(this.#failed);
    }, this.#limits.flushMs);
  }

  async #write(): Promise<void> {
    const batch = this.#take();
    if (batch.events.length + batch.entries.length + batch.statements.length === 0) return;
    try {
      const { requestedAt } = await retryWhileUnavailable(
        () => this.#database.transaction((sql) => this.#store(sql, batch, true)),
        this.#until,
      );
      this.#renewed(requestedAt);
    } catch (error) {
      // The last write of the turn may still succeed, and must then include these.
      this.#events.unshift(...batch.events);
      this.#entries.unshift(...batch.entries);
      this.#statements.unshift(...batch.statements);
      throw error;
    }
  }

  #take(): Batch {
    const before = this.#eventCount - this.#events.length;
    const batch = { before, events: this.#events, entries: this.#entries, statements: this.#statements };
    this.#events = [];
    this.#entries = [];
    this.#statements = [];
    this.#bytes = 0;
    return batch;
  }

  async #store(
    sql: Transaction,
    { before, events, entries, statements }: Batch,
    notifyFollowers = false,
  ): Promise<{ readonly watched: boolean; readonly requestedAt: number }> {
    const [total, more] = before === undefined ? [0, events.length] : [before + events.length, 0];
    const { requestedAt, missing, firstSeq, watched } = await passFence(sql, this.fence, total, more);
    const { key } = this.fence;
    await pipelined([
      insertEvents(sql, key, this.#claim.id, firstSeq, events.slice(events.length - missing)),
      insertEntries(sql, key, entries),
      notifyFollowers && watched && events.length > 0
        ? notify(sql, this.#database.schema, aboutConversation(key))
        : undefined,
      // Each sends its first statement at once, so they run in the order in which they were added.
      ...statements.map((work) => work(sql)),
    ]);
    return { watched, requestedAt };
  }
}

function outcomeEvent(outcome: TurnOutcome): NewEvent {
  return { kind: 'outcome', body: JSON.stringify({ outcome }) };
}

interface Batch {
  /** The number of events before these; undefined if some of them may be missing. */
  readonly before: number | undefined;
  readonly events: NewEvent[];
  readonly entries: NewEntry[];
  readonly statements: ((sql: Transaction) => Promise<void>)[];
}
