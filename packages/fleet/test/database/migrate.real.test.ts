import { openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/database/migrations.ts';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

describe('the schema', () => {
  it('[F-14] is created once by fleets that start at the same time, and a newer one is refused', async () => {
    const { database, schema } = await testDatabase();
    const fleets = await Promise.all([1, 2, 3].map(() => openFleet({ database, schema, limits })));
    expect(await sql(database, `select * from ${schema}.fleet_version`)).toEqual([{ version: migrations.length }]);
    await Promise.all(fleets.map((fleet) => fleet.close()));
    await sql(database, `update ${schema}.fleet_version set version = 99`);
    await expect(openFleet({ database, schema, limits })).rejects.toMatchObject({
      code: 'schema-too-new',
      found: 99,
      known: migrations.length,
    });
    await expect(startWorker({ database, schema, limits, agent: scriptedAgent() })).rejects.toMatchObject({
      code: 'schema-too-new',
    });
  });

  it('[F-14] prune removes what is older than asked, and nothing else', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using _worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    for (const key of ['old', 'kept', 'busy'])
      await (await fleet.submit({ key, prompt: 'one', id: `${key} 1` })).outcome();
    const late = await fleet.submit({ key: 'busy', prompt: 'later', startAfter: 3_600_000 });
    const age = `now() - interval '40 days'`;
    await sql(database, `update ${schema}.turn set ended_at = ${age} where key in ('old', 'busy') and state = 'done'`);
    await sql(database, `update ${schema}.conversation set updated_at = ${age} where key in ('old', 'busy')`);
    const day = 24 * 3_600_000;
    expect(await fleet.prune({ conversationsBefore: 30 * day })).toMatchObject({ conversations: 1, turns: 1 });
    expect((await fleet.conversations()).map(({ key }) => key).sort()).toEqual(['busy', 'kept']);
    await expect(fleet.transcript('old')).rejects.toMatchObject({ code: 'not-in-fleet' });
    expect((await fleet.transcript('busy')).length).toBeGreaterThan(0);
    expect(await fleet.prune({ turnsBefore: 30 * day })).toMatchObject({ turns: 1, conversations: 0, entries: 0 });
    expect((await fleet.turns()).map(({ id }) => id).sort()).toEqual(['kept 1', late.id].sort());
    expect((await fleet.transcript('busy')).length).toBeGreaterThan(0);
    expect(await fleet.prune({ turnsBefore: 30 * day, conversationsBefore: 30 * day })).toMatchObject({
      turns: 0,
      conversations: 0,
    });
  });
});
