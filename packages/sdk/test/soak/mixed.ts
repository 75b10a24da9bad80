import {
  type AgentOptions,
  createPool,
  deny,
  isCoxswainError,
  openSession,
  outcomeOf,
  type Pool,
  query,
} from 'coxswain';
import { growth, type Measures, measure } from './measures.ts';

/** The course of a mixed load. */
export interface MixedCourse {
  readonly seed: number;
  readonly ms: number;
  /** The number of outcomes per kind of operation: an outcome of its result, or the code of its error. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly operations: number;
  /** Number of externally killed CLIs. */
  readonly kills: number;
  readonly before: Measures;
  readonly after: Measures;
  readonly problems: readonly string[];
}

/** Time limit of an operation; a longer one hangs. */
const LONGEST_MS = 60_000;

/** Runs queries, sessions, restarting sessions and pool jobs concurrently for a while, and kills CLIs at random. */
export async function mixedLoad(
  options: AgentOptions,
  load: { readonly ms: number; readonly seed: number; readonly workers?: number },
): Promise<MixedCourse> {
  const run = new MixedRun(options, load.seed);
  await run.once();
  const before = await measure();
  const from = performance.now();
  const deadline = from + load.ms;
  const workers = Array.from({ length: load.workers ?? 3 }, () => run.until(deadline));
  await Promise.all(workers);
  const ms = performance.now() - from;
  const after = await measure(before);
  const { operations, kills, outcomes } = run;
  return {
    seed: load.seed,
    ms,
    outcomes,
    operations,
    kills,
    before,
    after,
    problems: [...run.problems, ...growth(before, after)],
  };
}

type Operation = (run: MixedRun) => Promise<string>;

class MixedRun {
  readonly outcomes: Record<string, Record<string, number>> = {};
  readonly problems: string[] = [];
  operations = 0;
  kills = 0;
  readonly #options: AgentOptions;
  readonly #random: () => number;

  constructor(options: AgentOptions, seed: number) {
    this.#options = options;
    this.#random = generator(seed);
  }

  /** Runs one operation of each kind. */
  async once(): Promise<void> {
    for (const [name, operation] of Object.entries(OPERATIONS)) await this.#perform(name, operation);
  }

  async until(deadline: number): Promise<void> {
    const kinds = Object.entries(OPERATIONS);
    const unhandled = (reason: unknown): void => void this.problems.push(`unhandled: ${String(reason)}`);
    process.on('unhandledRejection', unhandled);
    while (performance.now() < deadline) {
      const [name, operation] = this.pick(kinds);
      await this.#perform(name, operation);
    }
    process.off('unhandledRejection', unhandled);
  }

  /** A random choice. */
  pick<T>(choices: readonly T[]): T {
    const chosen = choices[Math.floor(this.#random() * choices.length)];
    if (chosen === undefined) throw new RangeError('nothing to pick from');
    return chosen;
  }

  /** The options of a run; some runs are killed shortly after. */
  options(chance = 0.3): AgentOptions {
    const doomed = this.#random() < chance;
    const delayMs = Math.floor(this.#random() * 150);
    const signal = this.pick(['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGSEGV'] as const);
    return {
      ...this.#options,
      onEvent: (event) => {
        if (event.type === 'started' && doomed) setTimeout(() => this.#kill(event.pid, signal), delayMs);
      },
    };
  }

  #kill(pid: number | null, signal: NodeJS.Signals): void {
    if (pid === null) return;
    try {
      process.kill(pid, signal);
      this.kills += 1;
    } catch {
      // The process has already exited.
    }
  }

  async #perform(name: string, operation: Operation): Promise<void> {
    this.operations += 1;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve('hangs'), LONGEST_MS);
    });
    const ended = await Promise.race([operation(this).catch((error) => this.#codeOf(name, error)), late]);
    clearTimeout(timer);
    if (ended === 'hangs') this.problems.push(`${name} did not end within ${LONGEST_MS} ms`);
    const row = this.outcomes[name] ?? {};
    row[ended] = (row[ended] ?? 0) + 1;
    this.outcomes[name] = row;
  }

  #codeOf(name: string, error: unknown): string {
    if (isCoxswainError(error)) return error.code;
    this.problems.push(`${name} ended with ${String(error)}`);
    return 'no error of ours';
  }
}

const PROMPTS = ['hello', 'use the shell', 'crash', 'leave', 'overloaded', 'garbage', 'flood', 'slowly'];

const OPERATIONS: Readonly<Record<string, Operation>> = {
  async query(run) {
    const stream = query(run.pick(PROMPTS), run.options());
    try {
      return outcomeOf(await stream.result()).kind;
    } finally {
      await stream.closed;
    }
  },

  async 'query with a hook'(run) {
    const hooks = { PreToolUse: { run: () => deny('not here') } };
    const stream = query(run.pick(PROMPTS), { ...run.options(), hooks });
    try {
      return outcomeOf(await stream.result()).kind;
    } finally {
      await stream.closed;
    }
  },

  async 'query, aborted'(run) {
    const abort = new AbortController();
    const stream = query('row for ever', { ...run.options(), signal: abort.signal });
    setTimeout(() => abort.abort(), run.pick([0, 20, 80, 200]));
    try {
      return outcomeOf(await stream.result()).kind;
    } finally {
      await stream.closed;
    }
  },

  async 'query, left early'(run) {
    const stream = query(run.pick(['slowly', 'flood', 'row for ever']), run.options());
    for await (const message of stream) if (message.type === 'assistant') break;
    return `left, ${(await stream.closed).ended}`;
  },

  async 'session of three turns'(run) {
    const session = openSession(run.options());
    try {
      await session.ready;
      const turns = [0, 1, 2].map(() => session.send(run.pick(PROMPTS)).result());
      const ends = await Promise.allSettled(turns);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      return 'completed';
    } finally {
      await session.close();
    }
  },

  async 'session, interrupted'(run) {
    const session = openSession(run.options());
    try {
      await session.ready;
      const turn = session.send('row for ever');
      const result = turn.result();
      result.catch(() => {});
      for await (const message of turn) if (message.type === 'assistant') break;
      await turn.interrupt();
      return outcomeOf(await result).kind;
    } finally {
      await session.close();
    }
  },

  async 'session, stopped in a turn'(run) {
    const session = openSession(run.options());
    const turn = session.send('row for ever').result();
    turn.catch(() => {});
    setTimeout(() => void session.close(), run.pick([0, 50, 150]));
    await session.closed;
    return outcomeOf(await turn).kind;
  },

  async 'restarting session'(run) {
    const session = openSession({ ...run.options(0.6), restart: { delayMs: 5, maxRestarts: 2, windowMs: 10_000 } });
    try {
      const turns = [0, 1, 2].map(() => session.send(run.pick(PROMPTS)).result());
      const ends = await Promise.allSettled(turns);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      return 'completed';
    } finally {
      await session.close();
    }
  },

  async 'pool jobs'(run) {
    const pool: Pool = createPool({ size: 2, defaults: run.options(0.5) });
    try {
      const jobs = [0, 1, 2, 3, 4].map((at) => {
        const job = pool.submit({ key: run.pick(['ann', 'bob', 'cid']), prompt: run.pick(PROMPTS) });
        if (at === 4) setTimeout(() => void job.cancel(), 50);
        return job.outcome;
      });
      const ends = await Promise.all(jobs);
      for (const end of ends) {
        if (end.status !== 'finished' && end.error.code === undefined)
          throw new Error(`a job ended with ${end.error.message}`);
      }
      return ends.map(({ status }) => status).sort()[0] ?? 'none';
    } finally {
      await pool.drain();
    }
  },
};

/** Reproducible pseudo-random numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
