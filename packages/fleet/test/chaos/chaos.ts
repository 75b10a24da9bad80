import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Fleet, openFleet } from '@coxswain/fleet';
import { textOf } from 'coxswain';
import pg from 'pg';
import { type Crash, type CrashingServer, crashingServer } from '../support/crashing-server.ts';
import { BINARIES } from '../support/database.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/processes.ts';
import { Answerer } from './answerer.ts';
import { promptOf, SOON_MS } from './asks.ts';
import { checkRecorded } from './check.ts';
import { checkApprovals } from './check-approvals.ts';
import { checkWarm } from './check-warm.ts';
import { ASKING_STEPS, nextHarm, PARK_AFTER_MS, ROLES, randomNumbers, STEPS } from './harms.ts';
import { leftProcesses } from './left-processes.ts';
import type { ChaosPlan, ChaosReport } from './plan.ts';

/** Runs turns while workers, connections and the database die, then checks everything that was recorded. */
export async function runChaos(plan: ChaosPlan): Promise<ChaosReport> {
  const started = performance.now();
  const world = await World.start(plan);
  try {
    const problems = await Promise.race([world.play(), rejectedBy(plan.signal)]);
    problems.push(...(await world.stop()));
    const seconds = (performance.now() - started) / 1000;
    return {
      seed: plan.seed,
      seconds,
      turns: plan.turns,
      outcomes: world.outcomes,
      faults: world.faults,
      approvals: world.approvals,
      reused: world.reused,
      turnsPerSecond: plan.turns / seconds,
      slowestSeconds: world.slowestSeconds,
      problems,
    };
  } finally {
    await world.stop();
  }
}

class World {
  readonly outcomes: Record<string, number> = {};
  readonly faults: Record<string, number> = {};
  readonly approvals: Record<string, number> = {};
  slowestSeconds = 0;
  reused = 0;
  readonly #plan: ChaosPlan;
  /** One for each role. */
  readonly #urls: readonly string[];
  readonly #random: () => number;
  readonly #workers = new Map<string, WorkerProcess>();
  /** Workers that drain and were replaced. */
  readonly #leaving = new Set<WorkerProcess>();
  readonly #pids: number[] = [];
  /** The texts of the model that followers received, by turn and in order. */
  readonly #seen = new Map<string, string[]>();
  readonly #acknowledged = new Set<string>();
  readonly #server: CrashingServer;
  readonly #fleet: Fleet;
  readonly #people: Fleet;
  readonly #answerer: Answerer;
  #names = 0;
  #harms = 0;
  readonly #ended = new AbortController();

  /** The last work on the server: only one stops or starts it at a time. */
  #serverWork: Promise<void> = Promise.resolve();

  private constructor(
    plan: ChaosPlan,
    server: CrashingServer,
    urls: readonly string[],
    { fleet, people }: { readonly fleet: Fleet; readonly people: Fleet },
  ) {
    this.#plan = plan;
    this.#server = server;
    this.#urls = urls;
    this.#fleet = fleet;
    this.#people = people;
    this.#random = randomNumbers(plan.seed);
    this.#answerer = new Answerer(people, randomNumbers(plan.seed + 1), this.#ended.signal);
  }

  static async start(plan: ChaosPlan): Promise<World> {
    const server = await crashingServer(plan.binaries ?? BINARIES);
    const urls: string[] = [];
    for (const [name, settings] of Object.entries(ROLES)) urls.push(await server.role(name, settings));
    // Two fleets create the tables at the same time.
    const open = (): Promise<Fleet> => {
      const database = urls[plan.seed % urls.length] ?? server.url;
      return openFleet({ database, limits: LIMITS(plan), connectTimeoutMs: 30_000 });
    };
    const [fleet, people] = await Promise.all([open(), open()]);
    const world = new World(plan, server, urls, { fleet, people });
    for (let n = 0; n < plan.workers; n += 1) world.#startWorker();
    return world;
  }

  report(line: string): void {
    this.#plan.report?.(line);
  }

  get #agentLog(): string {
    return join(tmpdir(), `chaos-agents-${process.pid}-${this.#plan.seed}`);
  }

  /** Submits, follows, breaks things until all turns have ended, and checks. */
  async play(): Promise<string[]> {
    const watching = this.followAll();
    // Awaited below, unless something else fails first.
    watching.catch(() => {});
    if (this.#plan.asks) void this.#answerer.run();
    const [, ended] = await Promise.all([this.submitAll(), this.breakThings()]);
    if (!ended) return [`no turn ended for ${this.#stuckMs / 1000} s`];
    this.report('all turns have ended; checking');
    await watching;
    return this.check();
  }

  /** Many times longer than an outage and the takeovers after it. */
  get #stuckMs(): number {
    return this.#plan.outageMs + 20 * this.#plan.leaseMs + 60_000;
  }

  /** Conversation n has the turns n, n + conversations, … in this order. */
  async submitAll(): Promise<void> {
    const { turns, conversations } = this.#plan;
    const one = async (conversation: number): Promise<void> => {
      for (let n = conversation; n < turns; n += conversations) {
        // Like a service: repeats a submission that was not acknowledged, with the same id.
        const turn = { key: `c${conversation}`, prompt: promptOf(n, this.#plan), id: `t${n}` };
        await this.#patient(() => this.#fleet.submit(turn, { waitMs: 30_000 }));
        this.#acknowledged.add(`t${n}`);
      }
    };
    await Promise.all(Array.from({ length: conversations }, (_, n) => one(n)));
    this.report(`${turns} turns submitted`);
  }

  /** Follows some conversations live, across all faults. */
  async followAll(): Promise<void> {
    const { turns, conversations } = this.#plan;
    const followed = Math.min(conversations, 20);
    const one = async (conversation: number): Promise<void> => {
      for (let n = conversation; n < turns; n += conversations) {
        const id = `t${n}`;
        while ((await this.#fleet.turns({ id }).catch(() => [])).length === 0) await this.#moment();
        const texts: string[] = [];
        for await (const item of (await this.#patient(() => this.#fleet.turn(id))).follow()) {
          const text = item.kind === 'message' && item.message.type === 'assistant' ? textOf(item.message) : '';
          if (text !== '') texts.push(text);
        }
        this.#seen.set(id, texts);
      }
    };
    await Promise.all(Array.from({ length: followed }, (_, n) => one(n)));
  }

  /** Causes one fault after another until all turns have ended; returns false if they do not. */
  async breakThings(): Promise<boolean> {
    let last = -1;
    for (let endedAt = performance.now(); ; ) {
      const done = await this.#patient(() => this.#count());
      if (done === this.#plan.turns) return true;
      if (done !== last) {
        this.report(`${done} of ${this.#plan.turns} turns ended`);
        endedAt = performance.now();
      }
      if (performance.now() > endedAt + this.#stuckMs) return false;
      last = done;
      if (this.#harms < this.#plan.maxFaults) await this.#harm();
      await delay(this.#plan.everyMs, undefined, { signal: this.#ended.signal });
      for (const [name, worker] of this.#workers) {
        if (worker.child.exitCode === null && worker.child.signalCode === null) continue;
        this.#workers.delete(name);
        this.#startWorker();
      }
    }
  }

  async #count(): Promise<number> {
    const [row] = await this.#sql<{ count: string }>(
      `select count(*) as count from coxswain.turn where state = 'done'`,
    );
    return Number(row?.count ?? 0);
  }

  async #harm(): Promise<void> {
    const victim = [...this.#workers.values()][Math.floor(this.#random() * this.#workers.size)];
    const harm = nextHarm(this.#random(), this.#plan.harms, this.faults);
    if (victim === undefined) return;
    this.#harms += 1;
    this.#did(harm);
    switch (harm) {
      case 'kill -9 of a worker':
        victim.child.kill('SIGKILL');
        break;
      case 'SIGTERM of a worker':
        victim.child.kill('SIGTERM');
        break;
      case 'SIGSTOP past the lease, then SIGCONT':
        victim.child.kill('SIGSTOP');
        await delay(this.#plan.leaseMs * 1.6);
        victim.child.kill('SIGCONT');
        break;
      case 'immediate shutdown of PostgreSQL':
      case 'kill -9 of all processes of PostgreSQL':
        await this.#crash(harm.startsWith('kill') ? 'kill' : 'immediate');
        break;
      case 'PostgreSQL stopped, and started again later':
        await this.#onServer(async () => {
          await this.#server.stop();
          await this.#startServer(this.#plan.outageMs);
        });
        break;
      case 'all workers drained and replaced':
        await this.#deploy();
        break;
      case 'all connections cut':
        await this.#sql(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name like $1',
          ['coxswain%'],
        ).catch(() => {});
        break;
    }
  }

  /** Replaces one worker after the other, as a deploy does. */
  async #deploy(): Promise<void> {
    for (const [name, worker] of [...this.#workers]) {
      this.#workers.delete(name);
      this.#leaving.add(worker);
      this.#startWorker();
      worker.child.kill('SIGTERM');
      await Promise.race([worker.exited, delay(this.#plan.leaseMs)]);
    }
  }

  #crash(how: Crash): Promise<void> {
    return this.#onServer(async () => {
      await this.#server.crash(how);
      await this.#startServer(0);
    });
  }

  #onServer(work: () => Promise<void>): Promise<void> {
    const done = this.#serverWork.then(work);
    this.#serverWork = done.catch(() => {});
    return done;
  }

  async #startServer(afterMs: number): Promise<void> {
    await delay(afterMs, undefined, { signal: this.#ended.signal });
    await this.#server.start();
    // The run may have ended meanwhile.
    if (this.#ended.signal.aborted) await this.#server.stop();
  }

  /** Starts a worker. Most kill themselves, or the server, at one of the named steps; some have wrong clocks. */
  #startWorker(): void {
    const { slots, processWorkers, prepareMs = 0, harms, asks = 0 } = this.#plan;
    this.#names += 1;
    const n = this.#names;
    const steps = asks > 0 ? ASKING_STEPS : STEPS;
    const step = steps[n % steps.length] ?? 'sent';
    const dies = harms !== 'crashes' && this.#random() < 0.5;
    const crashes = asks > 0 && this.#random() < 0.3;
    if (dies) this.#did(`armed to die at "${step}"`);
    const worker = startWorkerProcess({
      database: this.#urls[n % this.#urls.length] ?? this.#server.url,
      schema: 'coxswain',
      name: `w${n}`,
      slots,
      limits: LIMITS(this.#plan),
      agentLog: this.#agentLog,
      prepareMs,
      workMs: this.#plan.workMs,
      ...(dies && { dieAt: { step, nth: 3 + Math.floor(this.#random() * 20) } }),
      ...(this.#random() < 0.3 && { skewMs: (this.#random() - 0.5) * 7_200_000 }),
      ...(asks > 0 && { parkAfterMs: PARK_AFTER_MS[Math.floor(this.#random() * 4)] ?? 0, expiresAfterMs: SOON_MS }),
      ...(crashes && { crashAt: { step, nth: 3 + Math.floor(this.#random() * 20) } }),
      processes: n % this.#plan.workers < processWorkers,
      ...(this.#plan.warm !== false && { warm: this.#plan }),
    });
    this.#pids.push(worker.pid);
    this.#workers.set(`w${n}`, worker);
    if (crashes) void this.#crashWith(worker, step);
  }

  /** Crashes the server when the worker reaches its step. */
  async #crashWith(worker: WorkerProcess, step: string): Promise<void> {
    const reached = await worker.line('crash').catch(() => undefined);
    if (reached === undefined || this.#ended.signal.aborted || this.#harms >= this.#plan.maxFaults) return;
    this.#harms += 1;
    this.#did(`PostgreSQL crashed at "${step}"`);
    await this.#crash(this.#harms % 2 === 0 ? 'immediate' : 'kill').catch(() => {});
  }

  /** Checks everything that must hold, whatever happened. */
  async check(): Promise<string[]> {
    const { outcomes, slowestSeconds, problems } = await checkRecorded({
      sql: this.#sql,
      plan: this.#plan,
      agentLog: this.#agentLog,
      seen: this.#seen,
      acknowledged: this.#acknowledged,
      workersLive: this.#plan.harms === 'crashes',
    });
    Object.assign(this.outcomes, outcomes);
    this.slowestSeconds = slowestSeconds;
    const turns = await this.#sql<{ id: string; outcome_kind: string }>('select id, outcome_kind from coxswain.turn');
    const warm = checkWarm(this.#agentLog, this.#plan.conversations, turns);
    this.reused = warm.reused;
    problems.push(...warm.problems);
    if (!this.#plan.asks) return problems;
    const { accepted, problems: refused } = this.#answerer;
    const found = await checkApprovals({ sql: this.#sql, plan: this.#plan, agentLog: this.#agentLog, accepted });
    const [parked] = await this.#sql<{ parks: string }>(
      `select count(*) as parks from coxswain.event where kind = 'state' and body->>'state' = 'parked'`,
    );
    Object.assign(this.approvals, found.approvals, { 'turns parked': Number(parked?.parks) });
    return [...problems, ...refused, ...found.problems];
  }

  /** Ends everything; a process that is left is a problem. */
  async stop(): Promise<string[]> {
    if (this.#ended.signal.aborted) return [];
    this.#ended.abort();
    const workers = [...this.#workers.values(), ...this.#leaving];
    for (const worker of workers) {
      worker.child.kill('SIGCONT');
      worker.child.kill('SIGKILL');
    }
    await Promise.all(workers.map(({ exited }) => exited));
    await this.#serverWork;
    await Promise.all([this.#fleet.close(), this.#people.close()]);
    await this.#server.stop();
    await rm(this.#agentLog, { force: true });
    const left: string[] = [];
    for (let look = 0; look < 50; look += 1) {
      left.splice(0, left.length, ...leftProcesses(this.#server.directory, this.#agentLog, this.#pids));
      if (left.length === 0) break;
      await delay(100);
    }
    await this.#server[Symbol.asyncDispose]();
    return left.map((what) => `a process is left: ${what}`);
  }

  async #patient<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#plan.outageMs + 60_000;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await this.#moment();
      }
    }
  }

  async #moment(): Promise<void> {
    this.#ended.signal.throwIfAborted();
    await delay(100);
  }

  readonly #sql = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: this.#server.url });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  };

  #did(fault: string): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
  }
}

/** Rejects when the signal aborts. */
function rejectedBy(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const LIMITS = ({ leaseMs }: ChaosPlan): object => ({ leaseMs, sweepMs: leaseMs / 5, pollMs: 250, flushMs: 20 });
