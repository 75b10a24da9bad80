import { openFleet, startWorker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { dying, quick, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';
import { databaseProxy } from '../support/proxy.ts';

const ROUND_TRIP_MS = 1_200;

describe('a worker whose round trip to the database takes more than a second', () => {
  it('[F-24] takes over from a dead worker, claims turns, and keeps its lease while one runs', {
    timeout: 280_000,
  }, async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    const lost = await fleet.submit({ key: 'ann', prompt: 'one' });
    const next = await fleet.submit({ key: 'ann', prompt: 'two' });
    await using victim = startWorkerProcess({
      database,
      schema,
      name: 'dying',
      limits: dying,
      slots: 1,
      dieAt: { step: 'sent', nth: 1 },
    });
    await victim.exited;
    await using wire = await databaseProxy(database);
    const leaseMs = 15_000;
    await using _slow = await startWorker({
      database: wire.url,
      schema,
      limits: { ...quick, leaseMs },
      agent: scriptedAgent((turn) =>
        turn.say('one').useTool('Wait', {}, { result: 'x', permission: 'ask' }).say('done'),
      ),
    });
    wire.delay(ROUND_TRIP_MS);
    const soon = { signal: AbortSignal.timeout(240_000) }; // about a hundred round trips
    expect((await lost.outcome(soon)).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
    const approvals = async (): Promise<number> => (await fleet.approvals()).length;
    await expect.poll(approvals, { timeout: 60_000 }).toBe(1);
    // The agent waits longer than a lease.
    const [held] = await sql(database, `select claim, lease_until from ${schema}.conversation`);
    const isRenewed = async (): Promise<unknown> => {
      const text = `select claim = $1 and clock_timestamp() > $2::timestamptz and lease_until > clock_timestamp() as renewed from ${schema}.conversation`;
      return (await sql(database, text, [held?.claim, held?.lease_until]))[0]?.renewed;
    };
    await expect.poll(isRenewed, { timeout: 30_000 }).toBe(true);
    const [approval] = await fleet.approvals();
    await fleet.answer(approval?.id ?? '', allow(), { by: 'ann', hash: approval?.hash ?? '' });
    expect((await next.outcome(soon)).outcome).toMatchObject({ kind: 'completed', text: 'done' });
    expect((await next.info()).attempt).toBe(1);
  });

  it('[F-19] can submit with waitMs, because each attempt gets more time than the one before', async () => {
    const { database, schema } = await testDatabase();
    await using wire = await databaseProxy(database);
    await using fleet = await openFleet({ database: wire.url, schema, limits: quick });
    wire.delay(ROUND_TRIP_MS);
    const turn = await fleet.submit({ key: 'ann', prompt: 'one', id: 't1' }, { waitMs: 50_000 });
    expect(turn.id).toBe('t1');
    expect(await sql(database, `select id from ${schema}.turn`)).toEqual([{ id: 't1' }]);
  });
});
