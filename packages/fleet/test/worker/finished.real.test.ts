import { openFleet, serveHealth, startWorker } from '@coxswain/fleet';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { quick, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

const limits = { ...quick, leaseMs: 4_000 };

/** Runs a turn, and calls a function when its result was read. */
async function turnWith(
  harm: (place: { database: string; schema: string; readyz: () => Promise<number> }) => Promise<void>,
): Promise<{ outcome: object; attempt: number }> {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits });
  let done = false;
  let readyz = async (): Promise<number> => 0;
  await using worker = await startWorker({
    database,
    schema,
    limits,
    agent: scriptedAgent(),
    onStep: async (step) => {
      if (step !== 'result' || done) return;
      done = true;
      await harm({ database, schema, readyz });
    },
  });
  await using health = await serveHealth(worker, { port: 0 });
  readyz = async () => (await fetch(`http://127.0.0.1:${health.port}/readyz`)).status;
  expect(await readyz()).toBe(200);
  const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
  const { outcome } = await turn.outcome();
  await expect.poll(readyz).toBe(200);
  return { outcome, attempt: (await turn.info()).attempt };
}

const COMPLETED = { outcome: { kind: 'completed', text: 'did one' }, attempt: 1 };

describe('a turn whose agent has finished is committed', () => {
  it('[F-19] after a pause at "committing" during which the server ends the transaction', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const idle = `select 1 from pg_stat_activity where state = 'idle in transaction' and query like '%${schema}%'`;
    let pauses = 0;
    await using _worker = await startWorker({
      database,
      schema,
      limits,
      agent: scriptedAgent(),
      onStep: async (step) => {
        if (step !== 'committing') return;
        pauses += 1;
        await expect.poll(async () => (await sql(database, idle)).length, { timeout: 10_000 }).toBe(0);
      },
      onError: () => {},
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    const signal = AbortSignal.timeout(20_000);
    expect((await turn.outcome({ signal })).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
    expect(pauses).toBe(1);
  });

  it('[F-19] if onStep throws at each step, which is reported', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const steps = new Set<string>();
    const errors: unknown[] = [];
    await using _worker = await startWorker({
      database,
      schema,
      limits,
      agent: scriptedAgent(),
      onStep: async (step) => {
        steps.add(step);
        throw new Error(`at ${step}`);
      },
      onError: (error) => errors.push(error),
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    const { outcome } = await turn.outcome({ signal: AbortSignal.timeout(20_000) });
    expect(outcome).toMatchObject(COMPLETED.outcome);
    await expect.poll(() => steps.size).toBe(7);
    expect(errors.map(String)).toEqual([...steps].map((step) => `Error: at ${step}`));
  });

  it('[F-19] after a read-only window, in which /readyz is 503', async () => {
    const ended = turnWith(async ({ database, readyz }) => {
      const set = async (value: string): Promise<void> => {
        await sql(database, `alter system set default_transaction_read_only to ${value}`);
        await sql(database, 'select pg_reload_conf()');
      };
      await set('on');
      // The worker tries to commit meanwhile.
      void expect
        .poll(readyz, { timeout: 10_000 })
        .toBe(503)
        .finally(() => set('off'));
    });
    expect(await ended).toMatchObject(COMPLETED);
  });

  it('[F-19] after a read-only window of 4 s, as long as its lease', async () => {
    const ended = turnWith(async ({ database }) => {
      const set = (value: string): Promise<unknown> =>
        sql(database, `alter system set default_transaction_read_only to ${value}`).then(() =>
          sql(database, 'select pg_reload_conf()'),
        );
      await set('on');
      void sql(database, 'select pg_sleep(4)').then(() => set('off'));
    });
    expect(await ended).toMatchObject(COMPLETED);
  });

  it('[F-19] after a pause of 6.5 s at "committing", which is longer than its lease', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using _other = await startWorker({ database, schema, limits, agent: scriptedAgent(), slots: 1 });
    let paused = false;
    const agent = scriptedAgent();
    const onStep = async (step: string): Promise<void> => {
      if (step !== 'committing' || paused) return;
      paused = true;
      await sql(database, 'select pg_sleep(6.5)');
    };
    await using _worker = await startWorker({ database, schema, limits, agent, onStep, onError: () => {} });
    const turns = await Promise.all(['a', 'b', 'c'].map((key) => fleet.submit({ key, prompt: 'one' })));
    const ended = await Promise.all(
      turns.map(async (turn) => ({ ...(await turn.outcome()), attempt: (await turn.info()).attempt })),
    );
    for (const turn of ended) expect(turn).toMatchObject(COMPLETED);
  });

  it('[F-19] after a lock_timeout', { timeout: 60_000 }, async () => {
    const ended = turnWith(async ({ database, schema }) => {
      const locker = new pg.Client({ connectionString: database });
      await locker.connect();
      await locker.query(`begin; lock table ${schema}.spend`);
      const waiting = async (): Promise<unknown> =>
        (
          await sql(
            database,
            `select max(xact_start)::text as since from pg_stat_activity
             where wait_event_type = 'Lock' and query like '%${schema}%spend%'`,
          )
        )[0]?.since ?? undefined;
      let first: unknown;
      // A second transaction waits: the first one has reached its lock_timeout.
      void expect
        .poll(
          async () => {
            const now = await waiting();
            first ??= now;
            return now !== undefined && now !== first;
          },
          { timeout: 30_000 },
        )
        .toBe(true)
        .finally(() => locker.end());
    });
    expect(await ended).toMatchObject(COMPLETED);
  });

  it('[F-19] after a cancelled statement, as by a statement_timeout', async () => {
    const ended = turnWith(async ({ database, schema }) => {
      const locker = new pg.Client({ connectionString: database });
      await locker.connect();
      await locker.query(`begin; lock table ${schema}.spend`);
      const cancel = `select pg_cancel_backend(pid) as cancelled from pg_stat_activity
                      where wait_event_type = 'Lock' and query like '%${schema}%spend%'`;
      void expect
        .poll(async () => (await sql(database, cancel)).length, { timeout: 10_000 })
        .toBe(1)
        .finally(() => locker.end());
    });
    expect(await ended).toMatchObject(COMPLETED);
  });
});

describe('a turn that the database cuts off', () => {
  it('[F-19] is interrupted by the database, not by a lost worker; a turn whose prompt was not sent runs again', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    await using wire = await databaseProxy(database);
    let inOptions: () => void = () => {};
    const isInOptions = new Promise<void>((resolve) => {
      inOptions = resolve;
    });
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const agent = scriptedAgent((turn, job) =>
      job.prompt === 'hang' ? turn.say('I hang.').silence() : turn.say('done'),
    );
    await using worker = await startWorker({
      database: wire.url,
      schema,
      limits: { ...limits, leaseMs: 3_000 },
      agent: {
        ...agent,
        options: async (job) => {
          if (job.prompt === 'slow' && job.attempt === 1) {
            inOptions();
            await released;
          }
          return agent.options(job);
        },
      },
      onError: () => {},
    });
    const sent = await fleet.submit({ key: 'ann', prompt: 'hang' });
    const unsent = await fleet.submit({ key: 'bob', prompt: 'slow' });
    for await (const item of sent.follow()) if (item.kind === 'message' && item.message.type === 'assistant') break;
    await isInOptions;
    wire.freeze();
    // Before both leases expire, the worker ends both agents.
    const isOver = async (): Promise<unknown> =>
      (await sql(database, `select bool_and(lease_until < now()) as over from ${schema}.conversation`))[0]?.over;
    await expect.poll(isOver, { timeout: 10_000 }).toBe(true);
    wire.thaw();
    expect((await sent.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'database' });
    release();
    expect((await unsent.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'done' });
    await expect.poll(() => worker.health().running).toBe(0);
  });

  it('[F-19] because it refuses the output of the agent is interrupted by the database with its code, and the next turn runs', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    await sql(
      database,
      `create function ${schema}.refuse() returns trigger language plpgsql as $$ begin
         if new.body::text like '%poison%' then raise exception 'no poison' using errcode = '23514'; end if;
         return new;
       end $$`,
    );
    await sql(
      database,
      `create trigger refuse before insert on ${schema}.event for each row execute function ${schema}.refuse()`,
    );
    const errors: unknown[] = [];
    await using _worker = await startWorker({
      database,
      schema,
      limits: quick,
      agent: scriptedAgent((turn, job) => turn.say(String(job.prompt))),
      onError: (error) => errors.push(error),
    });
    const refused = await fleet.submit({ key: 'ann', prompt: 'poison' });
    const { outcome } = await refused.outcome();
    expect(outcome).toMatchObject({ kind: 'interrupted', by: 'database' });
    expect('message' in outcome && outcome.message).toContain('23514');
    expect(errors.map(String)).toContainEqual(expect.stringContaining('no poison'));
    const kinds: string[] = [];
    for await (const { kind } of refused.follow()) kinds.push(kind);
    expect(kinds.filter((kind) => kind === 'outcome')).toHaveLength(1);
    const next = await fleet.submit({ key: 'ann', prompt: 'water' });
    expect((await next.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'water' });
  });
});
