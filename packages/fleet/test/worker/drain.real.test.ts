import { openFleet, startWorker } from '@coxswain/fleet';
import pg from 'pg';
import { expect, it } from 'vitest';
import { quick, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

it('[F-11, F-16] work that still runs when a drained worker closes its connections is not reported as an error', async () => {
  const { database, schema } = await testDatabase();
  const errors: unknown[] = [];
  const worker = await startWorker({
    database,
    schema,
    limits: { ...quick, leaseMs: 2_000 }, // It sweeps after half a lease.
    agent: scriptedAgent(),
    name: 'closing',
    onError: (error) => errors.push(error),
  });
  // A refused call has no effect.
  await expect(worker.drain({ timeoutMs: Number.NaN })).rejects.toMatchObject({
    code: 'fleet-input',
    field: 'timeoutMs',
  });
  expect(worker.health()).toMatchObject({ ready: true, draining: false });
  const count = async (where: string): Promise<unknown> =>
    (
      await sql(
        database,
        `select count(*)::integer as n from pg_stat_activity where application_name = 'coxswain-fleet' ${where}`,
      )
    )[0]?.n;
  const blocker = new pg.Client({ connectionString: database });
  await blocker.connect();
  await blocker.query(`begin; lock table ${schema}.conversation in access exclusive mode`);
  // Blocks a sweep in the middle.
  await expect.poll(() => count(`and wait_event_type = 'Lock'`), { timeout: 10_000 }).toBe(1);
  const drained = worker.drain();
  // The drain closes all connections except the blocked one.
  await expect.poll(() => count(''), { timeout: 10_000 }).toBe(1);
  await blocker.query('rollback');
  await blocker.end();
  await drained;
  // The sweep has continued without a connection.
  await new Promise(setImmediate);
  expect(errors).toEqual([]);
});

it('[F-11] a drained worker is no longer listed, even if its health is queried until the end', async () => {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits: quick });
  const worker = await startWorker({ database, schema, limits: quick, agent: scriptedAgent() });
  const blocker = new pg.Client({ connectionString: database });
  await blocker.connect();
  await blocker.query(`begin; lock table ${schema}.log in access exclusive mode`);
  const drained = worker.drain();
  // It has removed itself from the list, and is about to log it.
  const isRecording = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into "${schema}".log%'`;
  await expect.poll(async () => (await sql(database, isRecording)).length).toBe(1);
  expect(await worker.check()).toMatchObject({ ready: false, draining: true });
  await blocker.query('rollback');
  await blocker.end();
  await drained;
  expect((await fleet.stats()).workers).toEqual([]);
});

it('[F-11] a drained worker is no longer listed, even if its connection breaks at the end', async () => {
  const { database, schema } = await testDatabase();
  await using wire = await databaseProxy(database);
  await using fleet = await openFleet({ database, schema, limits: quick });
  const worker = await startWorker({ database: wire.url, schema, limits: quick, agent: scriptedAgent() });
  wire.cutRequest(`delete from "${schema}".worker`);
  await worker.drain();
  expect((await fleet.stats()).workers).toEqual([]);
});
