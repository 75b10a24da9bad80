import { openFleet, startWorker } from '@coxswain/fleet';
import { expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

it('[F-46] lists find turns and conversations by their attributes, with an index', async () => {
  const place = await testDatabase();
  await using fleet = await openFleet({ ...place, limits });
  const release = { repository: 'boats', 'kind of work': 'release "1"' };
  const one = await fleet.submit({ key: 'ann', prompt: 'x', attributes: release });
  await fleet.submitMany([
    { key: 'bob', prompt: 'x', attributes: { repository: 'boats' } },
    { key: 'bob', prompt: 'x' },
    { key: 'cyd', prompt: 'x', attributes: { repository: 'cars' } },
  ]);
  expect(await one.info()).toMatchObject({ attributes: release });
  const keysOf = async (attributes: Record<string, string>): Promise<string[]> =>
    (await fleet.turns({ attributes })).map(({ key }) => key).sort();
  expect(await keysOf({ repository: 'boats' })).toEqual(['ann', 'bob']);
  expect(await keysOf(release)).toEqual(['ann']);
  expect(await keysOf({ repository: 'none' })).toEqual([]);
  expect(await keysOf({})).toEqual(['ann', 'bob', 'cyd']);
  const found = await fleet.conversations({ attributes: { repository: 'boats' } });
  expect(found.map(({ key }) => key).sort()).toEqual(['ann', 'bob']);
  await expect(fleet.turns({ attributes: { a: '\0' } })).rejects.toMatchObject({
    code: 'fleet-input',
    field: 'attributes',
  });
  const { database, schema } = place;
  await sql(
    database,
    `insert into ${schema}.turn (id, key, seq, tenant, prompt, attributes)
     select 'x' || n, 'ann', n, 'default', '"x"', jsonb_build_object('repository', 'r' || n) from generate_series(10, 20000) n`,
  );
  await sql(database, `analyze ${schema}.turn`);
  const plan = await sql(
    database,
    `explain select * from ${schema}.turn where (null::text is null or id = null) and ('{"repository":"r7"}'::jsonb is null or attributes @> '{"repository":"r7"}')`,
  );
  expect(JSON.stringify(plan)).toContain('turn_by_attribute');
});

it('[F-46, F-15] attributes are in no event, log or job, and a resend keeps them, as it keeps the other fields', async () => {
  const place = await testDatabase();
  await using fleet = await openFleet({ ...place, limits });
  await using _worker = await startWorker({ ...place, limits, agent: scriptedAgent() });
  const secret = 'attribute-of-acme';
  const more = { attributes: { customer: secret }, retry: { attempts: 2 }, maxUsdPerTurn: 3 };
  const turn = await fleet.submit({ key: 'ann', prompt: 'x', ...more });
  await turn.outcome();
  const again = await fleet.resend(turn.id);
  expect(await again.info()).toMatchObject({ attributes: { customer: secret }, resendOf: turn.id });
  await again.outcome();
  const { database, schema } = place;
  const rows = await sql(database, `select max_usd, retry->>'attempts' as attempts from ${schema}.turn`);
  expect(rows).toEqual([
    { max_usd: 3, attempts: '2' },
    { max_usd: 3, attempts: '2' },
  ]);
  for (const table of ['event', 'log', 'job', 'entry', 'conversation']) {
    const [found] = await sql(
      database,
      `select count(*)::integer as count from ${schema}.${table} t where t::text like '%${secret}%'`,
    );
    expect([table, found?.count]).toEqual([table, 0]);
  }
});
