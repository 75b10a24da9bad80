import { serveHealth, startWorker } from '@coxswain/fleet';
import pg from 'pg';
import { scriptedAgent } from '../../packages/fleet/test/support/agents.ts';
import { databaseProxy } from '../../packages/fleet/test/support/proxy.ts';
import { rateOf, waits } from './turns.mjs';
import { inFleet, limits, outcomesOf, percentiles, submitMany } from './world.mjs';

/** @typedef {import('./world.mjs').Bench} Bench */

const ROUND_TRIPS_MS = [0, 50, 200];

/** Dispatch and throughput with a slow network to the database. @param {Bench} bench */
export async function roundTrips(bench) {
  /** @type {{ what: string, figure: string }[]} */
  const rows = [];
  for (const roundTripMs of ROUND_TRIPS_MS) {
    const proxy = await databaseProxy(bench.database);
    try {
      proxy.delay(roundTripMs);
      await inFleet({ ...bench, database: proxy.url }, { workers: 2, slots: 8 }, async (world) => {
        const idle = [];
        for (let n = 0; n < (bench.quick ? 5 : 20); n += 1) {
          const turn = await world.fleet.submit({ key: `idle${n}`, prompt: 'x' });
          await turn.outcome();
          idle.push(turn.id);
        }
        const ids = await submitMany(world, { count: bench.quick ? 40 : 200, keys: 100 });
        const outcomes = await outcomesOf(world, ids);
        const rate = (await rateOf(world, ids)).toFixed(1);
        rows.push({
          what: `round trip of ${roundTripMs} ms: dispatch, idle; throughput`,
          figure: `${percentiles(await waits(world, idle))}; ${rate} turns/s (${outcomes})`,
        });
      });
    } finally {
      await proxy[Symbol.asyncDispose]();
    }
  }
  return rows;
}

/** The maximum number of connections of a busy worker, as the database counts them. @param {Bench} bench */
export async function connections(bench) {
  const without = await connectionsOf(bench, false);
  const withHealth = await connectionsOf(bench, true);
  return [
    { what: 'connections of a busy worker with 20 slots', figure: `${without}` },
    { what: 'the same with health and metrics served and read', figure: `${withHealth}` },
  ];
}

let roles = 0;

/** @param {Bench} bench @param {boolean} withHealth */
function connectionsOf(bench, withHealth) {
  return inFleet(bench, { workers: 0, slots: 0 }, async (world) => {
    roles += 1;
    const role = `bench_worker_${roles}`;
    await world.sql(`create role ${role} login superuser`);
    const database = bench.database.replace('postgres@', `${role}@`);
    const worker = await startWorker({ database, schema: world.schema, limits, slots: 20, agent: scriptedAgent() });
    const health = withHealth ? await serveHealth(worker, { port: 0, fleet: true }) : undefined;
    const observer = new pg.Client({ connectionString: bench.database });
    await observer.connect();
    let most = 0;
    let done = false;
    const counting = (async () => {
      while (!done) {
        const { rows } = await observer.query('select count(*)::int as open from pg_stat_activity where usename = $1', [
          role,
        ]);
        most = Math.max(most, rows[0].open);
        if (health) await fetch(`http://127.0.0.1:${health.port}/metrics`).then((answer) => answer.text());
      }
    })();
    try {
      await outcomesOf(world, await submitMany(world, { count: bench.quick ? 60 : 300, keys: 60 }));
    } finally {
      done = true;
      await counting;
      await observer.end();
      await health?.[Symbol.asyncDispose]();
      await worker[Symbol.asyncDispose]();
    }
    return most;
  });
}
