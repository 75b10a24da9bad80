import { isFleetError, openFleet, startWorker } from '@coxswain/fleet';
import { expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

it('[F-12] a database that stalls for longer than a lease costs no turn: the owner commits before another worker sweeps', async () => {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits });
  await using wireOfOwner = await databaseProxy(database);
  await using wireOfOther = await databaseProxy(database);
  const errors: unknown[] = [];
  let ended: () => void = () => {};
  const hasEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const shared = { schema, agent: scriptedAgent(), onError: (error: unknown) => void errors.push(error) };
  await using owner = await startWorker({
    ...shared,
    database: wireOfOwner.url,
    limits: { ...limits, leaseMs: 3_000 },
    onStep: (step) => {
      if (step === 'sent') for (const wire of [wireOfOwner, wireOfOther]) wire.freeze();
      if (step === 'result') ended();
    },
  });
  // This worker only sweeps. Because of its longer lease, the server does not end the blocked transactions.
  await fleet.pause(new Date(Date.now() + 3_600_000), { credential: 'paused' });
  await using _other = await startWorker({
    ...shared,
    database: wireOfOther.url,
    credential: 'paused',
    limits: { ...limits, sweepMs: 50 },
  });
  const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
  // The agent finishes during the freeze; its outcome waits for the database.
  await hasEnded;
  const isOver = async (): Promise<unknown> =>
    (await sql(database, `select lease_until < now() as over from ${schema}.conversation`))[0]?.over;
  await expect.poll(isOver, { timeout: 10_000 }).toBe(true);
  // The other worker recovers first, and has time for several sweeps.
  wireOfOther.thaw();
  await wireOfOther.passed(20);
  wireOfOwner.thaw();
  expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
  expect(await turn.info()).toMatchObject({ worker: owner.id, attempt: 1 });
  expect(errors.filter((error) => isFleetError(error, 'lease-lost'))).toEqual([]);
});
