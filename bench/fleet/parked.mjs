import { allow } from 'coxswain';
import { databaseMegabytes, inFleet, megabytes, outcomesOf, percentiles, submitMany, until } from './world.mjs';

/** Turns that are submitted at a time, so that no wait takes too long. */
const SLICE = 500;

/**
 * Measures turns that wait for an approval without a process, and how long the answer takes to one of them.
 * @param {import('./world.mjs').Bench} bench
 */
export async function parked(bench) {
  const count = bench.quick ? 500 : 10_000;
  const answered = bench.quick ? 50 : 200;
  return inFleet(bench, { workers: 4, slots: 25, parkAfterMs: 0 }, async (world) => {
    const { fleet, sql, started } = world;
    const pids = started.map(({ pid }) => pid);
    const before = await size(world);
    const idle = megabytes(pids);
    const from = performance.now();
    /** @type {string[]} */
    const ids = [];
    while (ids.length < count) {
      const prefix = `k${ids.length}-`;
      ids.push(...(await submitMany(world, { count: SLICE, keys: SLICE, prefix, prompt: 'p1 asks' })));
      const isParked = `select count(*) as count from @.turn where state = 'parked'`;
      await until(world, isParked, (found) => found === ids.length);
    }
    const seconds = (performance.now() - from) / 1000;
    const [running] = await sql('select count(*) as count from @.conversation where owner is not null');
    const each = ((await size(world)) - before) / count / 1024;
    const memory = `${megabytes(pids)} MB a worker (idle: ${idle}), ${databaseMegabytes(bench)} MB PostgreSQL`;
    const chosen = ids.filter((_, n) => n % (count / answered) === 0);
    const one = await answer(world, chosen, 1);
    const many = await answer(
      world,
      ids.filter((_, n) => n % (count / answered) === 1),
      answered,
    );
    const [left] = await fleet.approvals({ limit: 1 });
    if (left === undefined) throw new Error('No parked turn is left.');
    return [
      {
        what: `${count.toLocaleString('en')} turns parked at once, 4 workers with 25 slots`,
        figure: `${seconds.toFixed(0)} s to park them; ${running?.count} of them have a worker`,
      },
      { what: 'database, for each parked turn', figure: `${each.toFixed(1)} KB` },
      { what: `memory, ${count.toLocaleString('en')} turns parked`, figure: memory },
      { what: 'answer → the agent has it, one at a time', figure: one },
      { what: `answer → the agent has it, ${answered} answers at once`, figure: many },
    ];
  });
}

/**
 * Answers the approvals of turns and waits for their ends; returns the times until the agents had the answers.
 * @param {import('./world.mjs').World} world @param {string[]} ids @param {number} atOnce
 */
async function answer(world, ids, atOnce) {
  const { fleet, sql } = world;
  const approvals = await sql('select id, turn, hash from @.approval where turn = any($1)', [ids]);
  for (let n = 0; n < approvals.length; n += atOnce) {
    const some = approvals.slice(n, n + atOnce);
    await Promise.all(some.map(({ id, hash }) => fleet.answer(id, allow(), { by: 'bench', hash })));
    if (atOnce === 1) for (const { turn } of some) await (await fleet.turn(turn)).outcome();
    else await outcomesOf(world, ids);
  }
  const times = await sql(
    `select extract(epoch from d.at - a.at) * 1000 as ms from @.approval_audit a join @.approval_audit d using (approval)
     where a.kind = 'answered' and d.kind = 'delivered' and a.turn = any($1)`,
    [ids],
  );
  return percentiles(times.map(({ ms }) => Number(ms)));
}

/** The size of all tables and indexes, in bytes. @param {import('./world.mjs').World} world */
async function size({ sql, schema }) {
  const [row] = await sql(
    `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r'`,
    [schema],
  );
  return Number(row?.bytes);
}
