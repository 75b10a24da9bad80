import { setTimeout as delay } from 'node:timers/promises';
import { inFleet, limits, outcomesOf, percentiles, submitMany, until } from './world.mjs';

/** @typedef {import('./world.mjs').Bench} Bench */
/** @typedef {import('./world.mjs').World} World */

const WORKERS = { workers: 2, slots: 8 };

/** Turns per second when there is always work, by the clock of the database. @param {Bench} bench */
export async function throughput(bench) {
  return inFleet(bench, WORKERS, async (world) => {
    const ids = await submitMany(world, { count: bench.quick ? 200 : 1_000, keys: 200 });
    const outcomes = await outcomesOf(world, ids);
    return [
      {
        what: 'throughput, 2 workers with 8 slots, 200 conversations',
        figure: `${(await rateOf(world, ids)).toFixed(0)} turns/s (${outcomes})`,
      },
    ];
  });
}

/** Time from the submission to the claim, by the clock of the database: idle, and at half of the fleet's capacity. @param {Bench} bench */
export async function dispatch(bench) {
  return inFleet(bench, WORKERS, async (world) => {
    const idle = [];
    for (let n = 0; n < (bench.quick ? 40 : 200); n += 1) {
      const turn = await world.fleet.submit({ key: `idle${n % 20}`, prompt: 'x' });
      await turn.outcome();
      idle.push(turn.id);
    }
    const warm = await submitMany(world, { count: bench.quick ? 100 : 300, keys: 50, prefix: 'warm' });
    await outcomesOf(world, warm);
    const perSecond = Math.max(2, Math.round((await rateOf(world, warm)) / 2));
    const busy = [];
    const from = performance.now();
    // Timed by the clock, so that a slow submission does not lower the load.
    for (let n = 0; n < perSecond * (bench.quick ? 5 : 20); n += 1) {
      busy.push(world.fleet.submit({ key: `busy${n % 50}`, prompt: 'x' }));
      await delay(Math.max(0, from + ((n + 1) * 1_000) / perSecond - performance.now()));
    }
    const ids = (await Promise.all(busy)).map(({ id }) => id);
    await outcomesOf(world, ids);
    return [
      { what: 'dispatch, idle', figure: percentiles(await waits(world, idle)) },
      { what: `dispatch at half load (${perSecond} turns/s)`, figure: percentiles(await waits(world, ids)) },
    ];
  });
}

/** Time from kill -9 to the claim of the next turn by another worker. @param {Bench} bench */
export async function takeover(bench) {
  /** @type {number[]} */
  const times = [];
  for (let n = 0; n < (bench.quick ? 1 : 4); n += 1) {
    await inFleet(bench, { workers: 1, slots: 1 }, async (world) => {
      await world.fleet.submit({ key: 'a', prompt: 'hang' });
      const next = await world.fleet.submit({ key: 'a', prompt: 'next' });
      await until(world, `select count(*) as count from @.turn where state = 'sent'`, (count) => count === 1);
      await world.addWorker(1);
      const [{ now }] = await world.sql('select clock_timestamp() as now');
      world.started[0]?.child.kill('SIGKILL');
      await outcomesOf(world, [next.id]);
      times.push(((await next.info()).startedAt ?? 0) - now.getTime());
    });
  }
  const worst = Math.max(...times);
  return [
    {
      what: `takeover after kill -9, lease ${limits.leaseMs / 1000} s`,
      figure: `${times.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}: at most ${(worst / limits.leaseMs).toFixed(2)} leases`,
    },
  ];
}

/** Turns per second. @param {World} world @param {string[]} ids */
export async function rateOf({ sql }, ids) {
  const [row] = await sql(
    'select count(*) / extract(epoch from max(ended_at) - min(started_at)) as rate from @.turn where id = any($1)',
    [ids],
  );
  return Number(row?.rate);
}

/** Waiting time of each turn for a worker, in ms. @param {World} world @param {string[]} ids */
export async function waits({ sql }, ids) {
  const rows = await sql(
    'select extract(epoch from started_at - created_at) * 1000 as ms from @.turn where id = any($1)',
    [ids],
  );
  return rows.map(({ ms }) => Number(ms));
}
