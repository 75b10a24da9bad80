import { openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { dying, quick, scriptedAgent, takingOver } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

/** A rate limit has just ended: the next turn goes first, and the others wait for it. */
const endedLimit = (database: string, schema: string): Promise<unknown> =>
  sql(database, `insert into ${schema}.pause (credential, reason, until) values ('default', 'rate-limit', now())`);

describe('after a rate limit, the other turns do not wait for a turn that does not go first after all', () => {
  it('[F-10] because it was cancelled while it waited', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    await endedLimit(database, schema);
    const cancelled = await fleet.submit({ key: 'ann', prompt: 'one' });
    const next = await fleet.submit({ key: 'bob', prompt: 'two' });
    await fleet.cancel(cancelled.id);
    await using _worker = await startWorker({ database, schema, limits: quick, agent: scriptedAgent() });
    const { outcome } = await next.outcome({ signal: AbortSignal.timeout(10_000) });
    expect(outcome).toMatchObject({ kind: 'completed', text: 'did two' });
  });

  it('[F-10] because its tenant has too little left today', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    await fleet.setQuota('poor', { maxUsdPerDay: 5 });
    const today = `(now() at time zone 'utc')::date`;
    await sql(database, `insert into ${schema}.spend (tenant, day, usd) values ('poor', ${today}, 4)`);
    await endedLimit(database, schema);
    const poor = await fleet.submit({ key: 'ann', tenant: 'poor', prompt: 'one' });
    const next = await fleet.submit({ key: 'bob', prompt: 'two' });
    const agent = scriptedAgent();
    await using _worker = await startWorker({
      database,
      schema,
      limits: quick,
      agent: { ...agent, options: async (job) => ({ ...(await agent.options(job)), maxBudgetUsd: 2 }) },
    });
    const { outcome } = await next.outcome({ signal: AbortSignal.timeout(10_000) });
    expect(outcome).toMatchObject({ kind: 'completed', text: 'did two' });
    expect(await poor.info()).toMatchObject({ state: 'waiting', attempt: 0 });
  });

  it('[F-10] because its worker died: they wait until it is taken over', { timeout: 60_000 }, async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    await endedLimit(database, schema);
    const lost = await fleet.submit({ key: 'ann', prompt: 'one' });
    const dieAt = { step: 'sent', nth: 1 };
    await using victim = startWorkerProcess({ database, schema, name: 'dying', limits: dying, dieAt });
    await victim.exited;
    const next = await fleet.submit({ key: 'bob', prompt: 'two' });
    await using _worker = await startWorker({ database, schema, limits: takingOver, agent: scriptedAgent() });
    const signal = AbortSignal.timeout(40_000);
    expect((await lost.outcome({ signal })).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
    expect((await next.outcome({ signal })).outcome).toMatchObject({ kind: 'completed', text: 'did two' });
  });
});
