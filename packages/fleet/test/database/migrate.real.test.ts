import { openFleet, startWorker } from '@coxswain/fleet';
import { requestHash } from 'coxswain';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { migrations } from '../../src/database/migrations.ts';
import { quick as limits, scriptedAgent, takingOver } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

describe('the schema', () => {
  it('[F-14] is created once if fleets start at the same time, and a newer one is refused', async () => {
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

  it('[F-14, F-30] an older schema is upgraded once if processes start together, and keeps its data', async () => {
    const { database, schema } = await testDatabase();
    const asked = { id: 'r', kind: 'tool', toolName: 'Bash', input: { command: 'make' }, suggestions: [] };
    const old = new Database({ url: database, schema, connections: 1, leaseMs: 10_000 });
    await migrate(old, migrations.slice(0, 1));
    await old.query(`insert into @.conversation (key, tenant, turn_seq) values ('ann', 'default', 1)`);
    await old.query(
      `insert into @.turn (id, key, seq, tenant, state, prompt, outcome, outcome_kind, cost_usd, ended_at)
       values ('t', 'ann', 1, 'default', 'done', '"x"', '{"kind":"completed"}', 'completed', 0.25, now())`,
    );
    await old.query(
      `insert into @.approval (id, key, turn, tenant, request_id, request) values ('a', 'ann', 't', 'default', 'r', $1)`,
      [JSON.stringify(asked)],
    );
    await old.close();
    const fleets = await Promise.all([1, 2, 3].map(() => openFleet({ database, schema, limits })));
    expect(await sql(database, `select * from ${schema}.fleet_version`)).toEqual([{ version: migrations.length }]);
    expect(await fleets[0]?.conversations()).toMatchObject([{ key: 'ann', costUsd: 0.25 }]);
    const [open] = (await fleets[0]?.approvals()) ?? [];
    expect(open).toMatchObject({ id: 'a', hash: requestHash(asked), groups: null, expiresAt: null, escalations: 0 });
    await fleets[0]?.answer('a', { decision: 'allow' }, { by: 'ann', hash: requestHash(asked) });
    await using _worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    const next = await fleets[1]?.submit({ key: 'ann', prompt: 'two' });
    expect((await next?.outcome())?.outcome.kind).toBe('completed');
    await Promise.all(fleets.map((fleet) => fleet.close()));
  });

  it('[F-14, F-17] a turn that a worker of the older release claimed without a token is taken over when that worker dies', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    for (const key of ['ann', 'bob']) await fleet.submit({ key, prompt: 'one', id: key });
    // The rows of a worker of 0.2, without tokens, that has sent one turn and claimed another.
    await sql(database, `update ${schema}.job set state = 'active', started_on = now() where name = 'turns'`);
    await sql(
      database,
      `update ${schema}.conversation set owner = 'old', epoch = epoch + 1, lease_until = now() + interval '3 s'`,
    );
    await sql(
      database,
      `update ${schema}.turn set state = case key when 'ann' then 'sent' else 'claimed' end, attempt = 1, epoch = 1, worker = 'old'`,
    );
    await using _worker = await startWorker({ database, schema, limits: takingOver, agent: scriptedAgent() });
    const [sent, claimed] = await Promise.all([fleet.turn('ann'), fleet.turn('bob')]);
    expect((await sent.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
    expect((await claimed.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
    expect(await claimed.info()).toMatchObject({ attempt: 2 });
  });

  it('[F-14] is upgraded while a worker of the older release runs and continues; a worker of that release that starts is refused', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    let inTurn: () => void = () => {};
    const working = new Promise<void>((resolve) => {
      inTurn = resolve;
    });
    let upgraded: () => void = () => {};
    const waits = new Promise<void>((resolve) => {
      upgraded = resolve;
    });
    await using _worker = await startWorker({
      database,
      schema,
      limits,
      agent: scriptedAgent(),
      onStep: async (step) => {
        if (step !== 'result') return;
        inTurn();
        await waits;
      },
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await working;
    const next = new Database({ url: database, schema, connections: 1, leaseMs: 10_000 });
    await migrate(next, [...migrations, ['alter table turn add column later text', 'create index on turn (later)']]);
    await next.close();
    upgraded();
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
    const second = await fleet.submit({ key: 'ann', prompt: 'two' });
    expect((await second.outcome()).outcome.kind).toBe('completed');
    await expect(startWorker({ database, schema, limits, agent: scriptedAgent() })).rejects.toMatchObject({
      code: 'schema-too-new',
      found: migrations.length + 1,
      known: migrations.length,
    });
  });

  it('[F-14] an upgrade that waits for a backup does not stop the workers of the older release', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using _worker = await startWorker({ database, schema, limits, agent: scriptedAgent() });
    const backup = new pg.Client({ connectionString: database });
    await backup.connect();
    await backup.query(`begin; select count(*) from ${schema}.turn`);
    const next = new Database({ url: database, schema, connections: 1, leaseMs: 10_000 });
    const upgraded = migrate(next, [...migrations, ['alter table turn add column later text']]);
    const waiting = `select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock'`;
    await expect.poll(() => sql(database, waiting), { interval: 50, timeout: 10_000 }).toHaveLength(1);
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    expect((await turn.outcome({ signal: AbortSignal.timeout(20_000) })).outcome.kind).toBe('completed');
    await backup.end();
    await upgraded;
    expect(await sql(database, `select version from ${schema}.fleet_version`)).toEqual([
      { version: migrations.length + 1 },
    ]);
    await next.close();
  });

  it('[F-14] prune removes only what is older than the given age', async () => {
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
