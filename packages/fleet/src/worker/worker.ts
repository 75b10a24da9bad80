import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FleetReplay } from '../agent/define-agent.ts';
import type { Database } from '../database/database.ts';
import { isPermanent } from '../database/failure.ts';
import type { Hub } from '../database/hub.ts';
import { aboutWorker, JOBS } from '../database/log.ts';
import { retryWhileUnavailable } from '../database/retry.ts';
import { checkedOptions, checkedTimer } from '../fleet/input.ts';
import { submitScheduled } from '../fleet/schedules.ts';
import { fleetStats, metricsText } from '../fleet/stats.ts';
import { type Claim, claimTurn } from './claim.ts';
import { expireApprovals } from './expire-approvals.ts';
import { endOverdue, heartbeat, removeLostWorkers, removeWorker, renewLeases, type WorkerRow } from './leases.ts';
import { discardMovedOn } from './moved-on.ts';
import { ParkedTurns } from './parked-turns.ts';
import { PreferredJobs } from './preferred-jobs.ts';
import { readRequests } from './requests.ts';
import { Run } from './run.ts';
import type { WorkerContext } from './run-context.ts';
import { setAside } from './set-aside.ts';
import { releaseUnconfirmed, sweep } from './sweep.ts';
import { problemOf, type WorkerHealth } from './worker-health.ts';

/** Options of `drain()`. */
export interface DrainOptions {
  /** Time for which running turns may continue before they are interrupted. 30 s by default. */
  readonly timeoutMs?: number | undefined;
}

/** Time for which a drained worker tries to remove itself from the list while the database is down. */
const REMOVE_MS = 10_000;

/** Claims turns and runs them, until it is drained. */
export class Worker implements AsyncDisposable {
  readonly id: string;
  readonly name: string;
  /** Settles when the worker has stopped; never rejects. */
  readonly stopped: Promise<void>;
  readonly #context: WorkerContext;
  readonly #database: Database;
  readonly #hub: Hub;
  readonly #row: WorkerRow;
  readonly #runs = new Set<Run>();
  /** Tokens of failed claims, which the database may have stored nevertheless. */
  readonly #unconfirmed = new Set<string>();
  readonly #closing = new AbortController();
  readonly #accepting = new AbortController();
  readonly #release: () => Promise<void>;
  /** Settles when the last claim has ended. */
  readonly #claiming: Promise<void>;
  #sweepAfterMs: number;
  #lastTickAt = performance.now();
  #onSlotFreed: () => void = () => {};
  #turnsEnded = 0;
  #unwritable: string | undefined;
  #problem: string | undefined;
  #checking: Promise<void> | undefined;
  readonly #parked: ParkedTurns;
  /** The running heartbeats. */
  readonly #beats = new Set<Promise<void>>();
  #resolveStopped: () => void = () => {};
  #draining: Promise<void> | undefined;

  constructor(row: WorkerRow, context: WorkerContext, hub: Hub, release: () => Promise<void>) {
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
    const { database, queue, worker, onError } = context;
    this.#parked = new ParkedTurns({ database, queue, worker, onError, signal: this.#accepting.signal });
    this.#claiming = this.#loop(this.#accepting.signal, () =>
      this.#claimTurns().catch((error: unknown) => {
        this.#problem = problemOf(error);
        throw error;
      }),
    );
    void this.#loop(this.#closing.signal, () => this.#readRequests());
    const { signal } = this.#accepting;
    const { warm } = context;
    const preferred = new PreferredJobs({ hub, preferMs: row.preferMs, hasProcesses: () => warm.size > 0, signal });
    void this.#loop(signal, () => preferred.await());
    // Needs only the clock, so it works while the database does not answer.
    this.#every(Math.min(leaseMs / 20, 500), async () => {
      this.#endOverdue();
      warm.tick();
      context.spares.tick();
    });
    this.#every(leaseMs / 6, () => this.#renewLeases());
    this.#every(leaseMs / 6, () => this.#heartbeat());
    this.#sweepAfterMs = sweepMs;
    void this.#loop(this.#closing.signal, () => this.#sweep());
    void this.#loop(this.#closing.signal, () => this.#expireApprovals());
  }

  health(): WorkerHealth {
    const { health } = this.#database;
    const draining = this.#draining !== undefined;
    const writable = health.reachable && this.#unwritable === undefined;
    const database = { ...health, writable, reason: health.reason ?? this.#unwritable };
    return {
      ready: !draining && writable && this.#problem === undefined,
      draining,
      running: this.#runs.size,
      slots: this.#row.slots,
      warm: this.#context.warm.size,
      spare: this.#context.spares.size,
      database,
      problem: this.#problem,
      listening: this.#hub.listening,
      turnsEnded: this.#turnsEnded,
      turnsReused: this.#context.warm.reused,
    };
  }

  /** Writes a heartbeat to the database, then returns the health. Never rejects. */
  async check(): Promise<WorkerHealth> {
    // Concurrent calls share one write.
    this.#checking ??= this.#heartbeat()
      .catch(() => {}) // The health has the reason.
      .finally(() => {
        this.#checking = undefined;
      });
    await this.#checking;
    return this.health();
  }

  /** The metrics of the whole fleet in the text format of Prometheus, over the connections of this worker. */
  async metrics(): Promise<string> {
    return metricsText(await fleetStats(this.#context));
  }

  /** Claims no new turns, waits for the running ones, interrupts them at the deadline, and stops. A later call waits for the same end. @throws FleetInputError */
  async drain(options: DrainOptions = {}): Promise<void> {
    const timeoutMs = checkedTimer('timeoutMs', checkedOptions(options, { timeoutMs: true }).timeoutMs ?? 30_000);
    this.#draining ??= this.#drain(timeoutMs);
    await this.#draining;
  }

  /** Ends all turns immediately, with the outcome `interrupted`, and stops. */
  async stop(): Promise<void> {
    for (const run of this.#runs) run.drain(0);
    await this.drain({ timeoutMs: 0 });
  }

  /** The process is about to exit: finished turns are committed, and other workers decide about the rest. */
  async crash(): Promise<void> {
    for (const run of this.#runs) run.crash();
    await this.drain({ timeoutMs: 0 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drain();
  }

  async #drain(timeoutMs: number): Promise<void> {
    this.#accepting.abort();
    // The list of workers shows that it drains.
    void this.#heartbeat().catch(this.#context.onError);
    for (const run of this.#runs) run.parkWaiting();
    const cold = Promise.all([this.#context.warm.close(), this.#context.spares.close()]);
    const ended = async (): Promise<void> => {
      await cold;
      await this.#claiming;
      await this.#parked.idle();
      await Promise.all([...this.#runs].map(({ done }) => done));
    };
    const timer = new AbortController();
    await Promise.race([ended(), delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
    for (const run of this.#runs) run.drain(this.#context.limits.interruptMs);
    await ended();
    this.#closing.abort();
    // A heartbeat stored later would list the worker again.
    await Promise.allSettled(this.#beats);
    const until = performance.now() + REMOVE_MS;
    await retryWhileUnavailable(
      () => removeWorker(this.#database, this.#row),
      () => until,
    ).catch(this.#context.onError);
    await this.#release();
    this.#resolveStopped();
  }

  /** Fills the free slots, then waits for a free slot, a notification, or the next poll. */
  async #claimTurns(): Promise<void> {
    const { limits, queue, worker, agents, credential, onStep, onError } = this.#context;
    if (this.#unconfirmed.size > 0) await this.#releaseUnconfirmed();
    if (this.#runs.size >= this.#row.slots) return this.#slotFreed(this.#accepting.signal);
    const looked = new AbortController();
    const pollMs = limits.pollMs * (0.75 + Math.random() / 2);
    // Registered before the search, so that no notification is missed.
    const woken = this.#hub.wait(JOBS, pollMs, AbortSignal.any([this.#accepting.signal, looked.signal]));
    // Beside the search.
    this.#parked.tend();
    const exceptTenants: string[] = [];
    let lockMs = this.#database.rowLockMs;
    try {
      while (this.#runs.size < this.#row.slots && !this.#accepting.signal.aborted) {
        const token = randomUUID();
        this.#unconfirmed.add(token);
        const result = await claimTurn(this.#database, queue, {
          worker,
          agents: agents.served,
          token,
          credential,
          leaseMs: limits.leaseMs,
          exceptTenants,
          warmKeys: this.#context.warm.keys,
          lockMs,
          beforeCommit: async (id) => onStep('fetched', { id, key: '' }),
        });
        this.#unconfirmed.delete(token);
        this.#problem = undefined;
        if (result.kind === 'claim') {
          const run = this.#start(result.claim);
          // The worker has begun to drain meanwhile.
          if (this.#accepting.signal.aborted) run.drain(0);
        } else if (result.kind === 'again') {
          if (result.exceptTenant !== undefined) exceptTenants.push(result.exceptTenant);
          if (result.error !== undefined) onError(result.error);
        } else if (result.kind === 'refused') {
          onError(await setAside(this.#database, queue, worker, result));
          // There may be many such conversations.
          lockMs = this.#database.rowLockMs / 10;
        } else if (result.kind === 'paused') {
          looked.abort();
          return void (await this.#delay(Math.min(result.forMs, pollMs), this.#accepting.signal));
        } else {
          // When a slot becomes free, the next turn of its conversation may be due.
          return void (await Promise.race([woken, this.#slotFreed(looked.signal)]));
        }
      }
    } finally {
      looked.abort();
    }
  }

  async #releaseUnconfirmed(): Promise<void> {
    const { queue, onError } = this.#context;
    for (const token of this.#unconfirmed) {
      try {
        await releaseUnconfirmed(this.#database, queue, this.id, token);
      } catch (error) {
        if (!isPermanent(error)) throw error;
        // A sweep takes it over when its lease has expired.
        onError(error);
      }
      this.#unconfirmed.delete(token);
    }
  }

  #slotFreed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#onSlotFreed = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #start(claim: Claim): Run {
    const run = new Run(claim, { ...this.#context, agent: this.#context.agents.agentOf(claim.agent) });
    this.#runs.add(run);
    void run.done.then(() => {
      this.#runs.delete(run);
      this.#turnsEnded += 1;
      this.#onSlotFreed();
    });
    return run;
  }

  /** Passes cancellations and answers to approvals on to the runs. */
  async #readRequests(): Promise<void> {
    const { signal } = this.#closing;
    const woken = this.#hub.wait(aboutWorker(this.id), this.#context.limits.pollMs, signal);
    await readRequests(this.#database, this.#runs);
    await discardMovedOn(this.#database, this.id, this.#context.warm);
    await woken;
  }

  #endOverdue(): void {
    const now = performance.now();
    const wasSuspended = now - this.#lastTickAt > this.#context.limits.leaseMs / 3;
    this.#lastTickAt = now;
    endOverdue(this.#runs, wasSuspended);
  }

  async #renewLeases(): Promise<void> {
    const { leaseMs } = this.#context.limits;
    const until = performance.now() + leaseMs / 2;
    await retryWhileUnavailable(
      () => renewLeases(this.#database, this.id, this.#runs, leaseMs),
      () => until,
      () => true,
      // Short delays, so that a server that recovers is found in time.
      leaseMs / 24,
    );
  }

  async #heartbeat(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const beat = heartbeat(this.#database, this.#row, {
      running: this.#runs.size,
      warm: this.#context.warm.size,
      draining: this.#draining !== undefined,
      agents: this.#context.agents,
    });
    this.#beats.add(beat);
    try {
      await beat;
      this.#unwritable = undefined;
    } catch (error) {
      this.#unwritable = problemOf(error);
      throw error;
    } finally {
      this.#beats.delete(beat);
    }
  }

  /** The more workers there are, the rarer each one sweeps: about ten sweep within `sweepMs`. */
  async #sweep(): Promise<void> {
    await this.#untilSweep();
    if (this.#closing.signal.aborted) return;
    const { queue, limits, agents, onError } = this.#context;
    // After an outage or a stall of the server, the other workers get time to renew their leases first.
    const others = limits.leaseMs / 2;
    const steady = (): boolean => this.#database.steadyMs >= others;
    if (this.#database.reachableMs < others || !steady()) {
      await this.#database.query('select 1');
      return;
    }
    const { maxAttempts } = limits;
    const held = [...this.#runs].map(({ claim }) => claim.token);
    const replay = (name: string): FleetReplay => agents.agentOf(name).replay ?? 'never';
    await sweep(this.#database, queue, { held, agents: agents.names, maxAttempts, replay, steady, onError });
    await submitScheduled(this.#database, queue, onError);
    const workers = await removeLostWorkers(this.#database, limits.leaseMs);
    this.#sweepAfterMs = limits.sweepMs * Math.max(1, workers / 10);
  }

  /** Apart from the sweeps: thousands of approvals may expire at the same time. */
  async #expireApprovals(): Promise<void> {
    await this.#untilSweep();
    const { queue, onError } = this.#context;
    await expireApprovals(this.#database, queue, { worker: this.id, signal: this.#closing.signal, onError });
  }

  #untilSweep(): Promise<void> {
    return this.#delay(this.#sweepAfterMs * (0.8 + Math.random() * 0.2), this.#closing.signal);
  }

  async #delay(ms: number, signal: AbortSignal): Promise<void> {
    await delay(ms, undefined, { signal }).catch(() => {});
  }

  /** Repeats work until the signal aborts; reports failures and delays the next attempt after one. */
  async #loop(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await work();
        failures = 0;
      } catch (error) {
        this.#context.onError(error);
        await this.#delay(Math.min(250 * 2 ** failures, 2_000) * (0.5 + Math.random()), signal);
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
