// npm run bench:fleet [-- --quick] [dispatch|throughput|takeover|atOnce|growth …]: dispatch, throughput, takeover, memory and growth of a fleet on the embedded PostgreSQL, with worker
// processes and scripted agents inside them. Prints the figures; the machine should be idle.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { openFleet, startEmbedded } from '@coxswain/fleet';
import pg from 'pg';
import { startWorkerProcess } from '../packages/fleet/test/support/processes.ts';
import { ensurePostgres, POSTGRES_BINARIES } from '../scripts/fetch-postgres.mjs';

const QUICK = process.argv.includes('--quick');
/** The names of the measurements to make; all without any. */
const ONLY = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const limits = { pollMs: 1_000, leaseMs: 6_000, sweepMs: 1_200, flushMs: 50 };

ensurePostgres();
const directory = mkdtempSync(join(tmpdir(), 'coxswain-bench-'));
chmodSync(directory, 0o755);
const server = await startEmbedded({ directory, binaries: POSTGRES_BINARIES });
const database = server.url;
let schemas = 0;
console.log(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
try {
  for (const measure of [dispatch, throughput, takeover, atOnce, growth]) {
    if (ONLY.length === 0 || ONLY.includes(measure.name)) await measure();
  }
} finally {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
}

/** From the submission to the claim, by the clock of the database: idle, and while others keep the workers half busy. */
async function dispatch() {
  await inFleet({ workers: 2, slots: 8 }, async (world) => {
    const idle = [];
    for (let n = 0; n < (QUICK ? 30 : 200); n += 1) {
      const turn = await world.fleet.submit({ key: `idle${n % 20}`, prompt: 'x' });
      await turn.outcome();
      idle.push(turn.id);
    }
    const busy = [];
    for (let n = 0; n < (QUICK ? 60 : 400); n += 1) {
      busy.push(world.fleet.submit({ key: `busy${n % 50}`, prompt: 'x' }));
      await delay(25);
    }
    const turns = await Promise.all(busy);
    await Promise.all(turns.map((turn) => turn.outcome()));
    const waits = async (/** @type {string[]} */ ids) =>
      (
        await world.sql(
          'select extract(epoch from started_at - created_at) * 1000 as ms from @.turn where id = any($1) order by 1',
          [ids],
        )
      ).map(({ ms }) => Number(ms));
    print('dispatch, idle', percentiles(await waits(idle)));
    print('dispatch, 40 turns/s', percentiles(await waits(turns.map(({ id }) => id))));
  });
}

/** Turns per second when there is always work. */
async function throughput() {
  await inFleet({ workers: 2, slots: 8 }, async (world) => {
    const count = QUICK ? 200 : 2_000;
    const turns = await submitMany(world.fleet, count, 200);
    const from = performance.now();
    await Promise.all(turns.map((turn) => turn.outcome()));
    const seconds = (performance.now() - from) / 1000;
    print('throughput, 2 workers, 200 conversations', `${(count / seconds).toFixed(0)} turns/s`);
  });
}

/** From kill -9 to the claim by another worker. */
async function takeover() {
  const times = [];
  for (let n = 0; n < (QUICK ? 1 : 5); n += 1) {
    await inFleet({ workers: 0, slots: 1 }, async (world) => {
      await world.fleet.submit({ key: 'a', prompt: 'hang' });
      const next = await world.fleet.submit({ key: 'a', prompt: 'next' });
      const first = world.hire(1);
      await first.line('ready');
      while ((await world.fleet.turns({ state: 'sent' })).length === 0) await delay(50);
      const second = world.hire(1);
      await second.line('ready');
      first.child.kill('SIGKILL');
      const from = performance.now();
      await next.outcome();
      times.push(performance.now() - from);
    });
  }
  print(
    `takeover after kill -9, lease ${limits.leaseMs} ms`,
    `${percentiles(times)}; at most ${(Math.max(...times) / limits.leaseMs).toFixed(2)} leases`,
  );
}

/** Conversations that run at the same time on four workers. */
async function atOnce() {
  const count = QUICK ? 100 : 1_000;
  await inFleet({ workers: 4, slots: count / 4, workMs: QUICK ? 3_000 : 90_000 }, async (world) => {
    const from = performance.now();
    const turns = await submitMany(world.fleet, count, count);
    let most = 0;
    let memory = '';
    let left = count;
    void Promise.all(
      turns.map(async (turn) => {
        await turn.outcome();
        left -= 1;
      }),
    );
    while (left > 0) {
      const [row] = await world.sql(`select count(*) as count from @.turn where state = 'sent'`);
      if (Number(row?.count) > most) {
        most = Number(row?.count);
        memory = `${megabytes(world.pids)} MB for each worker, ${databaseMegabytes()} MB for PostgreSQL`;
      }
      await delay(500);
    }
    print(
      `${count} conversations on 4 workers`,
      `${most} at once, all ended after ${((performance.now() - from) / 1000).toFixed(1)} s; ${memory}`,
    );
  });
}

/** The time of a turn when much is stored. */
async function growth() {
  await inFleet({ workers: 1, slots: 4 }, async (world) => {
    for (const stored of QUICK ? [1_000, 10_000] : [1_000, 10_000, 100_000]) {
      await world.sql('select 1');
      await fill(world, stored);
      const count = QUICK ? 60 : 300;
      const turns = await submitMany(world.fleet, count, 30, `g${stored}-`);
      const from = performance.now();
      await Promise.all(turns.map((turn) => turn.outcome()));
      print(`${stored} turns stored`, `${((performance.now() - from) / count).toFixed(1)} ms a turn`);
    }
  });
}

/** @param {World} world @param {number} stored */
async function fill(world, stored) {
  const [{ count }] = await world.sql('select count(*) as count from @.turn');
  const [from, to] = [Number(count) + 1, stored];
  if (to < from) return;
  await world.sql(
    `insert into @.conversation (key, tenant, turn_seq, event_seq) select 'old' || n, 'default', 1, 5 from generate_series(${from}, ${to}) n`,
  );
  await world.sql(
    `insert into @.turn (id, key, seq, tenant, state, prompt, outcome, outcome_kind, ended_at)
     select 'old' || n, 'old' || n, 1, 'default', 'done', '"x"', '{"kind":"completed"}', 'completed', now() - interval '2 hours' from generate_series(${from}, ${to}) n`,
  );
  await world.sql(
    `insert into @.event (key, seq, turn, kind, body) select 'old' || n, s, 'old' || n, 'message', '{}' from generate_series(${from}, ${to}) n, generate_series(1, 5) s`,
  );
  await world.sql(
    `insert into @.entry (key, session_id, subpath, entry_id, line) select 'old' || n, 's', '', e::text, '{}' from generate_series(${from}, ${to}) n, generate_series(1, 5) e`,
  );
  await world.sql('analyze @.turn');
}

/**
 * @typedef {Awaited<ReturnType<typeof open>>} World
 * @param {{ workers: number, slots: number, workMs?: number }} plan
 * @param {(world: World) => Promise<void>} work
 */
async function inFleet(plan, work) {
  const world = await open(plan);
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

/** @param {{ workers: number, slots: number, workMs?: number }} plan */
async function open({ workers, slots, workMs }) {
  schemas += 1;
  const schema = `bench_${schemas}`;
  const fleet = await openFleet({ database, schema, limits: { ...limits, connections: 8 } });
  const hired = /** @type {import('../packages/fleet/test/support/processes.ts').WorkerProcess[]} */ ([]);
  const hire = (/** @type {number} */ free) => {
    const worker = startWorkerProcess({
      database,
      schema,
      name: `w${hired.length}`,
      slots: free,
      limits,
      ...(workMs !== undefined && { workMs }),
    });
    hired.push(worker);
    return worker;
  };
  for (let n = 0; n < workers; n += 1) hire(slots);
  await Promise.all(hired.map((worker) => worker.line('ready')));
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  return {
    fleet,
    hire,
    /** @param {string} text @param {unknown[]} [values] */
    sql: async (text, values) => (await client.query(text.replaceAll('@.', `${schema}.`), values)).rows,
    get pids() {
      return hired.map(({ pid }) => pid);
    },
    async close() {
      await Promise.all(hired.map((worker) => worker[Symbol.asyncDispose]()));
      await client.end();
      await fleet.close();
    },
  };
}

/** @param {import('@coxswain/fleet').Fleet} fleet @param {number} count @param {number} keys */
async function submitMany(fleet, count, keys, prefix = 'k') {
  const turns = [];
  for (let n = 0; n < count; n += 8) {
    const batch = Array.from({ length: Math.min(8, count - n) }, (_, at) =>
      fleet.submit({ key: `${prefix}${(n + at) % keys}`, prompt: 'x' }),
    );
    turns.push(...(await Promise.all(batch)));
  }
  return turns;
}

/** @param {readonly number[]} times */
function percentiles(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${times.length})`;
}

/** @param {readonly number[]} pids */
function megabytes(pids) {
  const sizes = pids.map(
    (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
  );
  return (sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toFixed(0);
}

/** Memory of all processes of the server; what they share counts once. */
function databaseMegabytes() {
  const server = readFileSync(join(directory, 'data/postmaster.pid'), 'utf8').split('\n')[0];
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').split(' ').filter(Boolean);
  const sizes = [server, ...children].map(
    (pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024,
  );
  return sizes.reduce((sum, size) => sum + size, 0).toFixed(0);
}

/** @param {string} what @param {string} figures */
function print(what, figures) {
  console.log(`${what.padEnd(45)} ${figures}`);
}
