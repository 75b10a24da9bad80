import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import type { Hub } from '../database/hub.ts';
import { aboutWorker, JOBS, logEvent } from '../database/log.ts';
import { submitScheduled } from '../fleet/schedules.ts';
import type { Answered } from './approvals.ts';
import { claimTurn } from './claim.ts';
import { endOverdue, forgetWorkers, heartbeat, keepLeases, type WorkerRow } from './keeper.ts';
import { Run, type RunContext } from './run.ts';
import { sweep } from './sweep.ts';

/** The health of a worker, for load balancers and operators. */
export interface WorkerHealth {
  /** The worker takes turns: it is not draining, and the database answers. */
  readonly ready: boolean;
  readonly draining: boolean;
  readonly running: number;
  readonly slots: number;
  readonly database: { readonly reachable: boolean; readonly since: number; readonly reason: string | undefined };
  /** Notifications arrive; without them the worker only polls. */
  readonly listening: boolean;
  /** Turns this worker has ended since its start. */
  readonly turnsEnded: number;
}

/** Options of `drain()`. */
export interface DrainOptions {
  /** How long running turns may continue; then they are interrupted. 30 s by default. */
  readonly timeoutMs?: number | undefined;
}

/** Takes turns and runs them, until it is drained. */
export class Worker implements AsyncDisposable {
  readonly id: string;
  readonly name: string;
  /** Settles when the worker has stopped; never rejects. */
  readonly stopped: Promise<void>;
  readonly #context: RunContext;
  readonly #database: Database;
  readonly #hub: Hub;
  readonly #row: WorkerRow;
  readonly #runs = new Set<Run>();
  readonly #closing = new AbortController();
  readonly #taking = new AbortController();
  readonly #release: () => Promise<void>;
  /** Settles when no claim is under way any more. */
  readonly #taken: Promise<void>;
  readonly #startedAt = Date.now();
  #sweepAfterMs: number;
  #freed: () => void = () => {};
  #turnsEnded = 0;
  #resolveStopped: () => void = () => {};
  #draining: Promise<void> | undefined;

  constructor(row: WorkerRow, context: RunContext, hub: Hub, release: () => Promise<void>) {
    this.id = row.id;
    this.name = row.name;
    this.#row = row;
    this.#context = context;
    this.#database = context.database;
    this.#hub = hub;
    this.#release = release;
    this.stopped = new Promise((resolve) => {
      this.#resolveStopped = resolve;
    });
    const { leaseMs, sweepMs } = context.limits;
    this.#taken = this.#loop(this.#taking.signal, () => this.#takeTurns());
    void this.#loop(this.#closing.signal, () => this.#readMail());
    // By the clock alone: it works while the database does not answer.
    this.#every(Math.min(leaseMs / 20, 500), async () => endOverdue(this.#runs));
    this.#every(leaseMs / 6, () => this.#keep());
    this.#sweepAfterMs = sweepMs;
    void this.#loop(this.#closing.signal, () => this.#sweep());
  }

  health(): WorkerHealth {
    const { health: database } = this.#database;
    const draining = this.#draining !== undefined;
    return {
      ready: !draining && database.reachable,
      draining,
      running: this.#runs.size,
      slots: this.#row.slots,
      database,
      listening: this.#hub.listening,
      turnsEnded: this.#turnsEnded,
    };
  }

  /** Takes no new turns, lets the running ones end, interrupts them at the deadline, and stops. Once called, it is the same promise. */
  drain({ timeoutMs = 30_000 }: DrainOptions = {}): Promise<void> {
    this.#draining ??= this.#drain(timeoutMs);
    return this.#draining;
  }

  /** Ends all turns immediately, with the outcome `interrupted`, and stops. */
  async stop(): Promise<void> {
    for (const run of this.#runs) run.drain(0);
    await this.drain({ timeoutMs: 0 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drain();
  }

  async #drain(timeoutMs: number): Promise<void> {
    this.#taking.abort();
    void this.#keep().catch(this.#context.onError);
    const ended = async (): Promise<void> => {
      await this.#taken;
      await Promise.all([...this.#runs].map(({ done }) => done));
    };
    const timer = new AbortController();
    await Promise.race([ended(), delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
    for (const run of this.#runs) run.drain(this.#context.limits.interruptMs);
    await ended();
    this.#closing.abort();
    await this.#database.query('delete from @.worker where id = $1', [this.id]).catch(this.#context.onError);
    await logEvent(this.#database, 'worker-stopped', { worker: this.id, detail: { name: this.name } }).catch(
      this.#context.onError,
    );
    await this.#release();
    this.#resolveStopped();
  }

  /** Fills the free slots, then waits for a free slot, a notification, or the time to look again. */
  async #takeTurns(): Promise<void> {
    const { limits, queue, worker, credential, onStep } = this.#context;
    if (this.#runs.size >= this.#row.slots) return this.#slotFreed(this.#taking.signal);
    const looked = new AbortController();
    const pollMs = limits.pollMs * (0.75 + Math.random() / 2);
    // Registered before the look: a notification in between is not missed.
    const woken = this.#hub.wait(JOBS, pollMs, AbortSignal.any([this.#taking.signal, looked.signal]));
    const exceptTenants: string[] = [];
    try {
      while (this.#runs.size < this.#row.slots && !this.#taking.signal.aborted) {
        const result = await claimTurn(this.#database, queue, {
          worker,
          credential,
          leaseMs: limits.leaseMs,
          exceptTenants,
          beforeCommit: async (id) => onStep('fetched', { id, key: '' }),
        });
        if (result.kind === 'claim') {
          const run = new Run(result.claim, this.#context);
          this.#start(run);
          // The worker began to drain meanwhile.
          if (this.#taking.signal.aborted) run.drain(0);
        } else if (result.kind === 'again') {
          if (result.exceptTenant !== undefined) exceptTenants.push(result.exceptTenant);
        } else if (result.kind === 'paused') {
          looked.abort();
          return void (await this.#rest(Math.min(result.forMs, pollMs), this.#taking.signal));
        } else {
          // A slot that becomes free is a reason to look: the next turn of its conversation may wait.
          return void (await Promise.race([woken, this.#slotFreed(looked.signal)]));
        }
      }
    } finally {
      looked.abort();
    }
  }

  #slotFreed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#freed = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #start(run: Run): void {
    this.#runs.add(run);
    void run.done.then(() => {
      this.#runs.delete(run);
      this.#turnsEnded += 1;
      this.#freed();
    });
  }

  /** Cancellations and answers to approvals. */
  async #readMail(): Promise<void> {
    const { signal } = this.#closing;
    const woken = this.#hub.wait(aboutWorker(this.id), this.#context.limits.pollMs, signal);
    const ids = [...this.#runs].map(({ claim }) => claim.id);
    if (ids.length > 0) {
      const cancelled = await this.#database.query<{ id: string; cancelled_by: string }>(
        'select id, cancelled_by from @.turn where id = any($1) and cancelled_by is not null',
        [ids],
      );
      const answers = await this.#database.query<Answered>(
        `select turn, request_id, answer from @.approval where turn = any($1) and state = 'answered'`,
        [ids],
      );
      for (const run of this.#runs) {
        const cancel = cancelled.find(({ id }) => id === run.claim.id);
        if (cancel) run.cancel(cancel.cancelled_by);
        run.answered(answers.filter(({ turn }) => turn === run.claim.id));
      }
    }
    await woken;
  }

  async #keep(): Promise<void> {
    const { leaseMs } = this.#context.limits;
    await keepLeases(this.#database, this.id, this.#runs, leaseMs);
    await heartbeat(this.#database, this.#row, this.#runs.size, this.#draining !== undefined);
  }

  /** The more workers there are, the rarer each of them looks: about ten look within `sweepMs`. */
  async #sweep(): Promise<void> {
    await this.#rest(this.#sweepAfterMs * (0.8 + Math.random() * 0.2), this.#closing.signal);
    if (this.#closing.signal.aborted) return;
    const { queue, limits, agent, onError } = this.#context;
    const { health } = this.#database;
    // After an outage, or when the server stood still, the other workers get time to renew their leases first.
    const others = limits.leaseMs / 2;
    const steady = (): boolean => this.#database.steadyMs >= others;
    if (!health.reachable || (health.since > this.#startedAt && Date.now() - health.since < others) || !steady()) {
      await this.#database.query('select 1');
      return;
    }
    const { maxAttempts } = limits;
    await sweep(this.#database, queue, { maxAttempts, replay: agent.replay ?? 'never', steady, onError });
    await submitScheduled(this.#database, queue, onError);
    const workers = await forgetWorkers(this.#database, limits.leaseMs);
    this.#sweepAfterMs = limits.sweepMs * Math.max(1, workers / 10);
  }

  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    await delay(ms, undefined, { signal }).catch(() => {});
  }

  /** Repeats work until the signal; a failure is reported, and the next try comes a little later. */
  async #loop(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await work();
        failures = 0;
      } catch (error) {
        this.#context.onError(error);
        await this.#rest(Math.min(250 * 2 ** failures, 2_000) * (0.5 + Math.random()), signal);
        failures += 1;
      }
    }
  }

  #every(ms: number, work: () => Promise<void>): void {
    const { signal } = this.#closing;
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      work()
        .catch(this.#context.onError)
        .finally(() => {
          busy = false;
        });
    }, ms);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }
}
