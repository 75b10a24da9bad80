import { randomInt } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedServer, type Fleet, openFleet, startEmbedded } from '@coxswain/fleet';
import { textOf } from 'coxswain';
import pg from 'pg';
import { BINARIES } from '../support/database.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/processes.ts';

/** How much chaos. */
export interface ChaosPlan {
  readonly turns: number;
  readonly conversations: number;
  readonly workers: number;
  readonly slots: number;
  /** Chooses the faults; when they meet which turn depends on the machine. */
  readonly seed: number;
  /** How long after a fault the next one comes, and how many there are at most. */
  readonly everyMs: number;
  readonly maxFaults: number;
  readonly leaseMs: number;
  /** How long PostgreSQL is away when it is stopped. */
  readonly outageMs: number;
  /** Scripted CLI processes in this many of the workers. */
  readonly processWorkers: number;
  /** How long a turn takes at least. */
  readonly workMs: number;
  readonly report?: (line: string) => void;
}

/** What was counted; everything that must not happen is in `problems`. */
export interface ChaosReport {
  readonly seed: number;
  readonly seconds: number;
  readonly turns: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly turnsPerSecond: number;
  readonly problems: readonly string[];
}

/** What is done to a fleet. */
const HARMS = [
  'kill -9 of a worker',
  'kill -9 of PostgreSQL',
  'SIGSTOP past the lease, then SIGCONT',
  'all connections cut',
  'SIGTERM of a worker',
  'PostgreSQL stopped, and started again later',
] as const;

const STEPS = ['fetched', 'claimed', 'sent', 'answering', 'result', 'committing', 'committed'] as const;

/** Runs turns while workers, connections and the database die, then checks everything that was recorded. */
export async function runChaos(plan: ChaosPlan): Promise<ChaosReport> {
  const started = performance.now();
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-chaos-'));
  await chmod(directory, 0o755);
  const world = await World.start(plan, directory);
  try {
    const watching = world.followAll();
    await world.submitAll();
    await world.breakThings();
    world.report('all turns have ended; checking');
    await watching;
    const problems = await world.check();
    problems.push(...(await world.stop()));
    const seconds = (performance.now() - started) / 1000;
    return {
      seed: plan.seed,
      seconds,
      turns: plan.turns,
      outcomes: world.outcomes,
      faults: world.faults,
      turnsPerSecond: plan.turns / seconds,
      problems,
    };
  } finally {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

class World {
  readonly outcomes: Record<string, number> = {};
  readonly faults: Record<string, number> = {};
  readonly #plan: ChaosPlan;
  readonly #directory: string;
  readonly #random: () => number;
  readonly #workers = new Map<string, WorkerProcess>();
  readonly #pids: number[] = [];
  /** What followers saw of each turn: the texts of the model, in order. */
  readonly #seen = new Map<string, string[]>();
  #server: EmbeddedServer;
  #fleet: Fleet;
  #names = 0;
  #harms = 0;
  #stopped = false;

  private constructor(plan: ChaosPlan, directory: string, server: EmbeddedServer, fleet: Fleet) {
    this.#plan = plan;
    this.#directory = directory;
    this.#server = server;
    this.#fleet = fleet;
    this.#random = randomNumbers(plan.seed);
  }

  static async start(plan: ChaosPlan, directory: string): Promise<World> {
    const server = await startEmbedded({ directory, binaries: BINARIES });
    // Two fleets create the tables at the same time.
    const open = (): Promise<Fleet> => openFleet({ database: server.url, limits: LIMITS(plan) });
    const [fleet, other] = await Promise.all([open(), open()]);
    await other.close();
    const world = new World(plan, directory, server, fleet);
    for (let n = 0; n < plan.workers; n += 1) world.#hire();
    return world;
  }

  report(line: string): void {
    this.#plan.report?.(line);
  }

  get #effects(): string {
    return join(tmpdir(), `chaos-effects-${process.pid}-${this.#plan.seed}`);
  }

  /** Conversation n has the turns n, n + conversations, … in this order. */
  async submitAll(): Promise<void> {
    const { turns, conversations } = this.#plan;
    const one = async (conversation: number): Promise<void> => {
      for (let n = conversation; n < turns; n += conversations) {
        await this.#fleet.submit({ key: `c${conversation}`, prompt: `p${n}`, id: `t${n}` }, { waitMs: 120_000 });
      }
    };
    await Promise.all(Array.from({ length: conversations }, (_, n) => one(n)));
    this.report(`${turns} turns submitted`);
  }

  /** Follows some conversations live, across everything that happens. */
  async followAll(): Promise<void> {
    const { turns, conversations } = this.#plan;
    const followed = Math.min(conversations, 20);
    const one = async (conversation: number): Promise<void> => {
      for (let n = conversation; n < turns; n += conversations) {
        const id = `t${n}`;
        while ((await this.#fleet.turns({ id }).catch(() => [])).length === 0) await delay(100);
        const texts: string[] = [];
        for await (const item of (await this.#patient(() => this.#fleet.turn(id))).follow()) {
          if (item.kind === 'message' && item.message.type === 'assistant') texts.push(textOf(item.message));
        }
        this.#seen.set(id, texts);
      }
    };
    await Promise.all(Array.from({ length: followed }, (_, n) => one(n)));
  }

  /** Does one harmful thing after another until all turns have ended. */
  async breakThings(): Promise<void> {
    for (let last = -1; ; ) {
      const done = await this.#patient(() => this.#count());
      if (done === this.#plan.turns) return;
      if (done !== last) this.report(`${done} of ${this.#plan.turns} turns ended`);
      last = done;
      if (this.#harms < this.#plan.maxFaults) await this.#harm();
      await delay(this.#plan.everyMs);
      for (const [name, worker] of this.#workers) {
        if (worker.child.exitCode === null && worker.child.signalCode === null) continue;
        this.#workers.delete(name);
        this.#hire();
      }
    }
  }

  async #count(): Promise<number> {
    const [row] = await this.#sql<{ count: string }>(
      `select count(*) as count from coxswain.turn where state = 'done'`,
    );
    return Number(row?.count ?? 0);
  }

  /** Each harm once, then by chance; most often the death of a worker. */
  async #harm(): Promise<void> {
    const victim = [...this.#workers.values()][Math.floor(this.#random() * this.#workers.size)];
    const dice = this.#random();
    const chance = HARMS[Math.floor(dice * HARMS.length)] ?? 'kill -9 of a worker';
    const harm = HARMS.find((known) => !(known in this.faults)) ?? (dice < 0.5 ? 'kill -9 of a worker' : chance);
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
      case 'kill -9 of PostgreSQL':
        await this.#killServer();
        break;
      case 'PostgreSQL stopped, and started again later':
        await this.#server.close();
        await delay(this.#plan.outageMs);
        this.#server = await startEmbedded({ directory: this.#directory, binaries: BINARIES });
        break;
      case 'all connections cut':
        await this.#sql(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name like $1',
          ['coxswain%'],
        ).catch(() => {});
        break;
    }
  }

  async #killServer(): Promise<void> {
    const pidFile = join(this.#server.directory, 'data/postmaster.pid');
    if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGKILL');
    await this.#server.close();
    this.#server = await startEmbedded({ directory: this.#directory, binaries: BINARIES });
  }

  /** A new worker. Most will die by themselves at one of the named points; some clocks are wrong. */
  #hire(): void {
    const { slots, processWorkers } = this.#plan;
    this.#names += 1;
    const n = this.#names;
    const step = STEPS[n % STEPS.length] ?? 'sent';
    const dies = this.#random() < 0.5;
    if (dies) this.#did(`armed to die at "${step}"`);
    const worker = startWorkerProcess({
      database: this.#server.url,
      schema: 'coxswain',
      name: `w${n}`,
      slots,
      limits: LIMITS(this.#plan),
      effects: this.#effects,
      workMs: this.#plan.workMs,
      ...(dies && { dieAt: { step, nth: 3 + Math.floor(this.#random() * 20) } }),
      ...(this.#random() < 0.3 && { skewMs: (this.#random() - 0.5) * 7_200_000 }),
      processes: n % this.#plan.workers < processWorkers,
    });
    this.#pids.push(worker.pid);
    this.#workers.set(`w${n}`, worker);
  }

  /** Everything that must hold, whatever happened. */
  async check(): Promise<string[]> {
    const problems: string[] = [];
    const { turns, conversations } = this.#plan;
    const rows = await this.#sql<{
      id: string;
      key: string;
      seq: string;
      state: string;
      outcome_kind: string;
      outcome: { text?: string };
    }>('select id, key, seq, state, outcome_kind, outcome from coxswain.turn');
    for (const { outcome_kind: kind } of rows) this.outcomes[kind] = (this.outcomes[kind] ?? 0) + 1;
    if (rows.length !== turns) problems.push(`${rows.length} turns instead of ${turns}`);
    for (const { id, state, outcome_kind: kind, outcome } of rows) {
      if (state !== 'done') problems.push(`${id} has not ended: ${state}`);
      if (kind === 'completed' && outcome.text !== `did p${id.slice(1)}`)
        problems.push(`${id} completed with another answer: ${outcome.text}`);
      if (!['completed', 'interrupted', 'dead'].includes(kind))
        problems.push(`${id} ended as ${kind}: ${JSON.stringify(outcome)}`);
    }
    problems.push(...(await this.#checkEvents()));
    problems.push(...this.#checkEffects(rows));
    for (let n = 0; n < conversations; n += 1) problems.push(...(await this.#checkTranscript(`c${n}`)));
    const [left] = await this.#sql<{ jobs: string; owned: string }>(
      `select (select count(*) from coxswain.job where name = 'turns' and state <= 'active') as jobs,
              (select count(*) from coxswain.conversation where owner is not null) as owned`,
    );
    if (Number(left?.jobs) > 0) problems.push(`${left?.jobs} jobs are left in the queue`);
    if (Number(left?.owned) > 0) problems.push(`${left?.owned} conversations still have an owner`);
    return problems;
  }

  /** One outcome for each turn, each prompt sent at most once, turns in the order of submission and never interleaved. */
  async #checkEvents(): Promise<string[]> {
    const problems: string[] = [];
    const events = await this.#sql<{ key: string; turn: string; kind: string; state: string | null }>(
      `select key, turn, kind, body->>'state' as state from coxswain.event where kind in ('state', 'outcome') order by key, seq`,
    );
    const count = new Map<string, { outcomes: number; sent: number }>();
    const current = new Map<string, number>();
    for (const { key, turn, kind, state } of events) {
      const counts = count.get(turn) ?? { outcomes: 0, sent: 0 };
      count.set(turn, counts);
      if (kind === 'outcome') counts.outcomes += 1;
      if (state === 'sent') counts.sent += 1;
      const n = Number(turn.slice(1));
      if (n < (current.get(key) ?? -1)) problems.push(`${turn} has an event after a later turn of ${key}`);
      current.set(key, n);
    }
    for (const [turn, { outcomes, sent }] of count) {
      if (outcomes !== 1) problems.push(`${turn} has ${outcomes} outcomes`);
      if (sent > 1) problems.push(`${turn} was sent ${sent} times`);
    }
    return problems;
  }

  /** What agents did: no turn twice, and every completed one. */
  #checkEffects(rows: readonly { id: string; outcome_kind: string }[]): string[] {
    const lines = readFileSync(this.#effects, 'utf8').split('\n').filter(Boolean);
    const once = new Set(lines);
    const problems = lines.length === once.size ? [] : [`${lines.length - once.size} prompts reached an agent twice`];
    for (const { id, outcome_kind: kind } of rows)
      if (kind === 'completed' && !once.has(id)) problems.push(`${id} completed, but no agent saw it`);
    return problems;
  }

  /**
   * The stored transcript is what followers read. A turn that was cut off may have one more message in one of the two than in
   * the other: a message and its line of the transcript come from the agent one after the other.
   */
  async #checkTranscript(key: string): Promise<string[]> {
    const events = await this.#sql<{ turn: string; text: string; kind: string }>(
      `select e.turn, c->>'text' as text, t.outcome_kind as kind from coxswain.event e join coxswain.turn t on t.id = e.turn,
         json_array_elements(e.body->'message'->'message'->'content') c
       where e.key = $1 and e.kind = 'message' and e.body->'message'->>'type' = 'assistant' and c->>'type' = 'text' order by e.seq`,
      [key],
    );
    const entries = await this.#sql<{ text: string }>(
      `select c->>'text' as text from coxswain.entry, json_array_elements(line->'message'->'content') c
       where key = $1 and subpath = '' and line->>'type' = 'assistant' and c->>'type' = 'text' order by n`,
      [key],
    );
    const problems: string[] = [];
    const numbers = entries.map(({ text }) => Number(/p(\d+)$/.exec(text)?.[1]));
    if (numbers.some((n, at) => n < (numbers[at - 1] ?? 0))) problems.push(`${key}: its transcript is out of order`);
    for (const turn of new Set([...events.map((event) => event.turn), ...numbers.map((n) => `t${n}`)])) {
      const read = events.filter((event) => event.turn === turn).map(({ text }) => text);
      const stored = entries.map(({ text }) => text).filter((text) => text.endsWith(` p${turn.slice(1)}`));
      const common = Math.min(read.length, stored.length);
      const same = read.slice(0, common).join('|') === stored.slice(0, common).join('|');
      const complete = events.find((event) => event.turn === turn)?.kind === 'completed';
      if (!same || (complete && read.length !== stored.length))
        problems.push(`${turn}: stored ${stored.join('|')}, read ${read.join('|')}`);
      const seen = this.#seen.get(turn);
      if (seen && seen.join('|') !== read.join('|'))
        problems.push(`${turn}: a follower saw ${seen.join('|')} instead of ${read.join('|')}`);
    }
    return problems;
  }

  /** Ends everything; what is left is a problem. */
  async stop(): Promise<string[]> {
    if (this.#stopped) return [];
    this.#stopped = true;
    for (const worker of this.#workers.values()) {
      worker.child.kill('SIGCONT');
      worker.child.kill('SIGKILL');
    }
    await Promise.all([...this.#workers.values()].map(({ exited }) => exited));
    await this.#fleet.close();
    await this.#server.close();
    await rm(this.#effects, { force: true });
    const left: string[] = [];
    for (let look = 0; look < 50; look += 1) {
      left.splice(0, left.length, ...leftProcesses(this.#directory, this.#pids));
      if (left.length === 0) break;
      await delay(100);
    }
    return left.map((what) => `a process is left: ${what}`);
  }

  async #patient<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (tries > 300) throw error;
        await delay(100);
      }
    }
  }

  async #sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.#server.url });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  #did(fault: string): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
  }
}

const LIMITS = ({ leaseMs }: ChaosPlan): object => ({ leaseMs, sweepMs: leaseMs / 5, pollMs: 250, flushMs: 20 });

/** Workers and the server of this run that still live. */
function leftProcesses(directory: string, pids: readonly number[]): string[] {
  const found: string[] = [];
  for (const pid of pids) if (existsSync(`/proc/${pid}`)) found.push(`worker ${pid}`);
  const pidFile = join(directory, 'data/postmaster.pid');
  if (existsSync(pidFile)) found.push('PostgreSQL');
  return found;
}

/** mulberry32: the same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A seed for a run that was given none. */
export function newSeed(): number {
  return randomInt(1, 2 ** 31);
}

/** Appends a line to the file in which long runs are kept. */
export function keepReport(file: string, report: ChaosReport): void {
  appendFileSync(file, `${JSON.stringify({ ...report, at: new Date().toISOString() })}\n`);
}
