import { setTimeout as delay } from 'node:timers/promises';
import { inFleet, outcomesOf, submitMany, until } from './world.mjs';

/** @typedef {import('./world.mjs').Bench} Bench */
/** @typedef {import('./world.mjs').World} World */

/** The queries of a page or an operator. @type {Record<string, (world: World) => Promise<unknown>>} */
const CALLS = {
  'stats()': ({ fleet }) => fleet.stats(),
  'turns()': ({ fleet }) => fleet.turns(),
  'turns({ tenant })': ({ fleet }) => fleet.turns({ tenant: 'small' }),
  "turns({ outcome: 'failed' })": ({ fleet }) => fleet.turns({ outcome: 'failed' }),
  'conversations()': ({ fleet }) => fleet.conversations(),
  'conversations({ tenant })': ({ fleet }) => fleet.conversations({ tenant: 'small' }),
  'approvals()': ({ fleet }) => fleet.approvals(),
  'spend({ tenant })': ({ fleet }) => fleet.spend({ tenant: 't1' }),
  'prune(), nothing to remove': ({ fleet }) => fleet.prune({ turnsBefore: 10 * DAYS, conversationsBefore: 10 * DAYS }),
  'follow() of an old turn': async ({ fleet }) => {
    for await (const _ of (await fleet.turn('old77')).follow());
  },
};

const DAYS = 24 * 3_600_000;

/** A connection reports its statistics at most once a second. */
const STATISTICS_MS = 1_500;

/** The time of a turn and of queries when much is stored. @param {Bench} bench */
export async function growth(bench) {
  const sizes = bench.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
  return inFleet(bench, { workers: 1, slots: 4 }, async (world) => {
    await world.fleet.setQuota('default', { maxConcurrent: 100, maxUsdPerDay: 1_000_000 });
    /** @type {Record<string, string[]>} */
    const figures = {};
    const put = (/** @type {string} */ what, /** @type {string} */ figure) => {
      figures[what] = [...(figures[what] ?? []), figure];
    };
    await outcomesOf(world, await submitMany(world, { count: 40, keys: 20, prefix: 'warm' }));
    for (const stored of sizes) {
      await store(world, stored);
      await delay(STATISTICS_MS);
      const before = await scanned(world);
      const count = bench.quick ? 60 : 200;
      const ids = await submitMany(world, { count, keys: 25, prefix: `g${stored}-` });
      await outcomesOf(world, ids);
      const [row] = await world.sql(
        `select extract(epoch from max(ended_at) - min(started_at)) * 1000 / count(*) as ms from @.turn where id = any($1)`,
        [ids],
      );
      put('a turn', `${Number(row?.ms).toFixed(1)} ms`);
      await delay(STATISTICS_MS);
      put('rows that a turn reads without an index', (((await scanned(world)) - before) / count).toFixed(0));
      for (const [name, call] of Object.entries(CALLS))
        put(name, `${(await medianOf(() => call(world))).toFixed(1)} ms`);
    }
    const title = `${sizes.map((size) => size.toLocaleString('en')).join(', ')} turns stored`;
    return Object.entries(figures).map(([what, each]) => ({ what: `${what}, with ${title}`, figure: each.join(', ') }));
  });
}

/** The time of a turn when many conversations wait for a worker. @param {Bench} bench */
export async function backlog(bench) {
  const sizes = bench.quick ? [500, 5_000] : [1_000, 10_000, 100_000];
  /** @type {string[]} */
  const each = [];
  for (const waiting of sizes) {
    each.push(
      await inFleet(bench, { workers: 0, slots: 4 }, async (world) => {
        await wait(world, waiting);
        await world.addWorker(4);
        const ended = `select count(*) as count from @.turn where state = 'done'`;
        const count = bench.quick ? 60 : 200;
        await until(world, ended, (done) => done >= count);
        const [row] = await world.sql(
          `select extract(epoch from max(ended_at) - min(started_at)) * 1000 / count(*) as ms from @.turn where state = 'done'`,
        );
        return `${Number(row?.ms).toFixed(1)} ms`;
      }),
    );
  }
  const title = sizes.map((size) => size.toLocaleString('en')).join(', ');
  return [{ what: `a turn, with ${title} conversations waiting`, figure: each.join(', ') }];
}

/**
 * Fills the tables up to a number of ended turns, ten per conversation, with all their rows.
 * @param {World} world @param {number} stored
 */
async function store({ sql }, stored) {
  const [{ count }] = await sql('select count(*)::int as count from @.turn');
  // Adds whole conversations after the existing ones.
  const [from, to] = [Math.ceil(Number(count) / 10) + 1, stored / 10];
  const conversations = `generate_series(${from}, ${to}) c`;
  const turns = `${conversations}, generate_series(1, 10) s`;
  const n = '((c - 1) * 10 + s - 1)';
  const tenant = `case when c % 100 = 0 then 'small' else 'default' end`;
  await sql(
    `insert into @.conversation (key, tenant, session_id, turn_seq, event_seq, updated_at)
     select 'old' || c, ${tenant}, 's', 10, 50, now() - c * interval '10 s' from ${conversations}`,
  );
  await sql(
    `insert into @.turn (id, key, seq, tenant, state, prompt, attempt, epoch, worker, outcome, outcome_kind, cost_usd, created_at, started_at, ended_at)
     select 'old' || ${n}, 'old' || c, s, ${tenant}, 'done', '"What is new?"', 1, s, 'w', '{"kind":"completed","text":"Nothing."}',
       case when ${n} % 50 = 0 then 'failed' else 'completed' end, 0.01, at, at, at
     from (select c, s, now() - ${n} * interval '1 s' - interval '2 hours' as at from ${turns}) x`,
  );
  await sql(
    `insert into @.event (key, seq, turn, kind, body) select 'old' || c, (s - 1) * 5 + e, 'old' || ${n},
       case when e = 5 then 'outcome' else 'message' end, json_build_object('text', repeat('x', 200))
     from ${turns}, generate_series(1, 5) e`,
  );
  await sql(
    `insert into @.entry (key, session_id, subpath, entry_id, line) select 'old' || c, 's', '', s || '.' || e, json_build_object('text', repeat('x', 200))
     from ${turns}, generate_series(1, 5) e`,
  );
  await sql(
    `insert into @.approval (id, key, turn, tenant, request_id, request, state, answer, answered_by)
     select 'old' || ${n}, 'old' || c, 'old' || ${n}, ${tenant}, 'r', '{}', 'answered', '{}', 'ann' from ${turns} where s = 1`,
  );
  await sql(
    `insert into @.log (kind, key, turn) select k, 'old' || c, 'old' || ${n} from ${turns}, unnest(array['turn-submitted', 'turn-claimed', 'turn-ended']) k`,
  );
  // The queue keeps completed jobs for a minute or two.
  await sql(
    `insert into @.job (name, state, singleton_key, group_id, completed_on) select 'turns', 'completed', 'old' || c, 'default', now() from ${turns}`,
  );
  await sql(
    `insert into @.spend (tenant, day, usd, turns) select 't' || c, current_date - s, 1, 10 from ${turns} on conflict do nothing`,
  );
  await sql('analyze');
}

/** Stores waiting conversations with one turn each, as submit() does. @param {World} world @param {number} waiting */
async function wait({ sql }, waiting) {
  const all = `generate_series(1, ${waiting}) n`;
  await sql(`insert into @.conversation (key, tenant, turn_seq) select 'new' || n, 'default', 1 from ${all}`);
  await sql(
    `insert into @.turn (id, key, seq, tenant, prompt, job) select 'new' || n, 'new' || n, 1, 'default', '"x"', gen_random_uuid() from ${all}`,
  );
  await sql(
    `insert into @.job (id, name, singleton_key, group_id, retry_limit, created_on)
     select job, 'turns', key, tenant, 1000000, now() + substr(id, 4)::int * interval '1 us' from @.turn`,
  );
  await sql('analyze');
}

/** Number of rows read by sequential scans of large tables. @param {World} world */
async function scanned({ sql }) {
  const [row] = await sql(
    `select sum(seq_tup_read) as count from pg_stat_user_tables where schemaname = trim(trailing '.' from '@.')
       and relname in ('conversation', 'turn', 'event', 'entry', 'approval', 'log', 'job_common')`,
  );
  return Number(row?.count ?? 0);
}

/** @param {() => Promise<unknown>} call */
async function medianOf(call) {
  const times = [];
  for (let n = 0; n < 9; n += 1) {
    const from = performance.now();
    await call();
    times.push(performance.now() - from);
  }
  return times.sort((a, b) => a - b)[4] ?? 0;
}
