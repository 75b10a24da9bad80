import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openFleet } from '@coxswain/fleet';
import pg from 'pg';
import { startWorkerProcess } from '../../packages/fleet/test/support/processes.ts';

/** The limits of all workers and clients; the lease is short, so that takeovers are quick to measure. */
export const limits = { pollMs: 1_000, leaseMs: 6_000, sweepMs: 1_200, flushMs: 50 };

/** Time limit of every wait. */
const LONGEST_MS = 300_000;

/** @typedef {{ database: string, directory: string, quick: boolean }} Bench */
/** @typedef {{ workers: number, slots: number, hold?: boolean, parkAfterMs?: number }} Plan */
/** @typedef {Awaited<ReturnType<typeof open>>} World */

let schemas = 0;

/**
 * Opens a fleet with workers in a separate schema, and closes it after the work.
 * @template T
 * @param {Bench} bench
 * @param {Plan} plan
 * @param {(world: World) => Promise<T>} work
 */
export async function inFleet(bench, plan, work) {
  const world = await open(bench, plan);
  try {
    return await work(world);
  } finally {
    await world.close();
  }
}

/** @param {Bench} bench @param {Plan} plan */
async function open({ database }, { workers, slots, hold = false, parkAfterMs }) {
  schemas += 1;
  const schema = `bench_${schemas}`;
  const fleet = await openFleet({ database, schema, limits: { ...limits, connections: 8 } });
  const started = /** @type {import('../../packages/fleet/test/support/processes.ts').WorkerProcess[]} */ ([]);
  const addWorker = async (/** @type {number} */ free) => {
    const name = `w${started.length}`;
    const worker = startWorkerProcess({
      database,
      schema,
      name,
      slots: free,
      limits,
      hold,
      ...(parkAfterMs !== undefined && { parkAfterMs }),
    });
    started.push(worker);
    await within(worker.line('ready'), 'a worker to start');
    return worker;
  };
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await Promise.all(Array.from({ length: workers }, () => addWorker(slots)));
  return {
    fleet,
    schema,
    addWorker,
    started,
    /** @param {string} text @param {unknown[]} [values] */
    sql: async (text, values) => (await client.query(text.replaceAll('@.', `${schema}.`), values)).rows,
    async close() {
      await Promise.all(started.map((worker) => worker[Symbol.asyncDispose]()));
      await client.end();
      await fleet.close();
    },
  };
}

/**
 * Submits turns, a few at a time, and returns their ids.
 * @param {World} world
 * @param {{ count: number, keys: number, prefix?: string, prompt?: string }} plan
 */
export async function submitMany({ fleet }, { count, keys, prefix = 'k', prompt = 'x' }) {
  /** @type {string[]} */
  const ids = [];
  for (let n = 0; n < count; n += 8) {
    const batch = Array.from({ length: Math.min(8, count - n) }, (_, at) =>
      fleet.submit({ key: `${prefix}${(n + at) % keys}`, prompt }),
    );
    ids.push(...(await Promise.all(batch)).map(({ id }) => id));
  }
  return ids;
}

/**
 * Polls until a count in the tables is as expected; four times a second, so that polling costs little.
 * @param {World} world
 * @param {string} query A query that returns `count`.
 * @param {(count: number) => boolean} enough
 * @param {unknown[]} [values]
 */
export async function until({ sql }, query, enough, values) {
  const deadline = performance.now() + LONGEST_MS;
  for (;;) {
    const [row] = await sql(query, values);
    const count = Number(row?.count);
    if (enough(count)) return count;
    if (performance.now() > deadline)
      throw new Error(`The count is still ${count} after ${LONGEST_MS / 1000} s: ${query}`);
    await delay(250);
  }
}

/** Waits for turns and counts their outcomes. @param {World} world @param {string[]} ids */
export async function outcomesOf(world, ids) {
  const query = `select count(*) as count from @.turn where id = any($1) and state = 'done'`;
  await until(world, query, (count) => count === ids.length, [ids]);
  const rows = await world.sql(
    'select outcome_kind as kind, count(*)::int as count from @.turn where id = any($1) group by 1 order by 2 desc',
    [ids],
  );
  return rows.map(({ kind, count }) => `${count} ${kind}`).join(', ');
}

/** @template T @param {Promise<T>} work @param {string} what @returns {Promise<T>} */
async function within(work, what) {
  const timer = new AbortController();
  const late = delay(LONGEST_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`Waited ${LONGEST_MS / 1000} s for ${what}.`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}

/** @param {readonly number[]} times */
export function percentiles(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${times.length} turns)`;
}

/** Mean resident memory of processes. @param {readonly number[]} pids */
export function megabytes(pids) {
  const sizes = pids.map(
    (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
  );
  return (sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toFixed(0);
}

/** Memory of all processes of the server; shared memory counts once. @param {Bench} bench */
export function databaseMegabytes({ directory }) {
  const server = readFileSync(join(directory, 'data/postmaster.pid'), 'utf8').split('\n')[0];
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').split(' ').filter(Boolean);
  const sizes = [server, ...children].map(
    (pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024,
  );
  return sizes.reduce((sum, size) => sum + size, 0).toFixed(0);
}
