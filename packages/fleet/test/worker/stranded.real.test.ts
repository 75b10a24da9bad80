import { type FleetTurn, openFleet, startWorker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { dying, quick, scriptedAgent, takingOver } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';
import { databaseProxy } from '../support/proxy.ts';

describe('open connections that become silent', () => {
  it('[F-19] do not use up the time of submit({ waitMs }): it makes several attempts', async () => {
    const { database, schema } = await testDatabase();
    await using wire = await databaseProxy(database);
    await using fleet = await openFleet({ database: wire.url, schema, limits: quick });
    // All connections of the pool are open.
    await Promise.all(Array.from({ length: 8 }, () => fleet.stats()));
    wire.strand();
    const turn = await fleet.submit({ key: 'ann', prompt: 'one', id: 't1' }, { waitMs: 12_000 });
    expect(turn.id).toBe('t1');
    expect((await fleet.turns()).map(({ id }) => id)).toEqual(['t1']);
  });

  it('[F-12] do not cost a worker its leases: it renews them on another connection in time', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    await using wire = await databaseProxy(database);
    const leaseMs = 6_000;
    let stranded: () => void = () => {};
    const isStranded = new Promise<void>((resolve) => {
      stranded = resolve;
    });
    await using _worker = await startWorker({
      database: wire.url,
      schema,
      limits: { ...quick, leaseMs },
      agent: scriptedAgent((turn) =>
        turn.say('one').useTool('Wait', {}, { result: 'x', permission: 'ask' }).say('done'),
      ),
      onStep: (step) => {
        if (step !== 'answering') return;
        wire.strand();
        stranded();
      },
      onError: () => {},
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await isStranded;
    const [claimed] = await sql(database, `select claim, lease_until from ${schema}.conversation`);
    const isRenewed = async (): Promise<unknown> => {
      const text = `select claim = $1 and lease_until > $2::timestamptz + interval '3 s' as renewed from ${schema}.conversation`;
      return (await sql(database, text, [claimed?.claim, claimed?.lease_until]))[0]?.renewed;
    };
    await expect.poll(isRenewed, { timeout: 20_000 }).toBe(true);
    wire.thaw();
    await expect.poll(async () => (await fleet.approvals()).length, { timeout: 10_000 }).toBe(1);
    const [approval] = await fleet.approvals();
    await fleet.answer(approval?.id ?? '', allow(), { by: 'ann', hash: approval?.hash ?? '' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'done' });
  });
});

/** Resolves when the agent has answered to the prompt `hang`. */
async function hangs(turn: FleetTurn): Promise<void> {
  for await (const item of turn.follow()) if (item.kind === 'message' && item.message.type === 'assistant') return;
}

describe('a conversation of a dead worker that cannot be taken over', () => {
  it('[F-4] is reported, and does not prevent takeovers of the others', { timeout: 60_000 }, async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    const broken = await fleet.submit({ key: 'broken', prompt: 'hang' });
    const other = await fleet.submit({ key: 'other', prompt: 'hang' });
    await using victim = startWorkerProcess({ database, schema, name: 'dying', limits: dying, slots: 2 });
    await Promise.all([hangs(broken), hangs(other)]);
    victim.child.kill('SIGKILL');
    await victim.exited;
    // The `seq` of its next event exists already, as after a manual restore.
    await sql(
      database,
      `insert into ${schema}.event (key, seq, turn, kind, body) select key, event_seq + 1, 'x', 'state', '{}' from ${schema}.conversation where key = 'broken'`,
    );
    // Sweeps try this conversation first.
    await sql(
      database,
      `update ${schema}.conversation set lease_until = lease_until - interval '1 hour' where key = 'broken'`,
    );
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    await using _worker = await startWorker({ database, schema, limits: takingOver, agent: scriptedAgent(), onError });
    const signal = AbortSignal.timeout(40_000);
    expect((await other.outcome({ signal })).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
    expect(errors).toContainEqual(expect.objectContaining({ code: '23505' }));
    await sql(database, `delete from ${schema}.event where turn = 'x'`);
    expect((await broken.outcome({ signal })).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
  });
});

describe('a turn of a dead worker that another program locks', () => {
  it('[F-4] does not prevent takeovers of the others', { timeout: 90_000 }, async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    const locked = await fleet.submit({ key: 'locked', prompt: 'hang' });
    const other = await fleet.submit({ key: 'other', prompt: 'hang' });
    await using victim = startWorkerProcess({ database, schema, name: 'dying', limits: dying, slots: 2 });
    await Promise.all([hangs(locked), hangs(other)]);
    victim.child.kill('SIGKILL');
    await victim.exited;
    const locker = new pg.Client({ connectionString: database });
    await locker.connect();
    try {
      await locker.query(`begin; select 1 from ${schema}.turn where key = 'locked' for update`);
      // Sweeps try this conversation first.
      await sql(
        database,
        `update ${schema}.conversation set lease_until = lease_until - interval '1 hour' where key = 'locked'`,
      );
      await using _worker = await startWorker({ database, schema, limits: takingOver, agent: scriptedAgent() });
      const signal = AbortSignal.timeout(60_000);
      expect((await other.outcome({ signal })).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
      await locker.query('rollback');
      expect((await locked.outcome({ signal })).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
    } finally {
      await locker.end();
    }
  });
});

describe('a waiting conversation that cannot be claimed', () => {
  it('[F-28] is set aside and reported, the others run, and it runs once it is repaired', {
    timeout: 60_000,
  }, async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    const bad = await fleet.submit({ key: 'bad', prompt: 'bad' });
    const good = await fleet.submit({ key: 'good', prompt: 'good' });
    // The `seq` of its next event exists already, as after a manual restore.
    await sql(
      database,
      `insert into ${schema}.event (key, seq, turn, kind, body) values ('bad', 1, 'x', 'state', '{}')`,
    );
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    await using worker = await startWorker({ database, schema, limits: quick, agent: scriptedAgent(), onError });
    const signal = AbortSignal.timeout(40_000);
    expect((await good.outcome({ signal })).outcome).toMatchObject({ kind: 'completed', text: 'did good' });
    expect(await worker.check()).toMatchObject({ ready: true, problem: undefined });
    expect(await bad.info()).toMatchObject({ state: 'waiting', attempt: 0 });
    const set = { key: 'bad', reason: '23505', attempts: 1 };
    expect((await fleet.stats()).setAside).toMatchObject([set]);
    expect(await fleet.metrics()).toContain('coxswain_fleet_conversations_set_aside 1\n');
    expect(errors).toMatchObject([{ code: 'conversation-set-aside', key: 'bad', reason: '23505' }]);
    await sql(database, `delete from ${schema}.event where turn = 'x'`);
    expect((await bad.outcome({ signal })).outcome).toMatchObject({ kind: 'completed', text: 'did bad' });
    expect((await fleet.stats()).setAside).toEqual([]);
    // It was not tried before its time.
    expect(errors).toHaveLength(1);
  });

  it('[F-28] because a transaction of another program locks it does not block the others', {
    timeout: 60_000,
  }, async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits: quick });
    const locked = await fleet.submit({ key: 'locked', prompt: 'one' });
    const other = await fleet.submit({ key: 'other', prompt: 'two' });
    const locker = new pg.Client({ connectionString: database });
    await locker.connect();
    try {
      await locker.query(`begin; select 1 from ${schema}.conversation where key = 'locked' for update`);
      await using _worker = await startWorker({ database, schema, limits: quick, agent: scriptedAgent() });
      const signal = AbortSignal.timeout(40_000);
      expect((await other.outcome({ signal })).outcome).toMatchObject({ kind: 'completed' });
      await locker.query('rollback');
      expect((await locked.outcome({ signal })).outcome).toMatchObject({ kind: 'completed' });
    } finally {
      await locker.end();
    }
  });

  it.each([
    ['the quota of its tenant', `update @.tenant set max_concurrent = 6`],
    ['its row', `select 1 from @.conversation where tenant = 'locked' for update`],
  ])(
    '[F-28] because another program locks %s does not block the others, however many wait',
    {
      timeout: 60_000,
    },
    async (_, lock) => {
      const { database, schema } = await testDatabase();
      await using fleet = await openFleet({ database, schema, limits: quick });
      await fleet.setQuota('locked', { maxConcurrent: 5 });
      const locked = await Promise.all(
        Array.from({ length: 12 }, (_, n) => fleet.submit({ key: `locked ${n}`, prompt: 'one', tenant: 'locked' })),
      );
      const other = await fleet.submit({ key: 'other', prompt: 'two' });
      const locker = new pg.Client({ connectionString: database });
      await locker.connect();
      try {
        await locker.query(`begin; ${lock.replace('@', () => schema)}`);
        await using _worker = await startWorker({ database, schema, limits: quick, agent: scriptedAgent() });
        expect((await other.outcome({ signal: AbortSignal.timeout(15_000) })).outcome.kind).toBe('completed');
        await locker.query('rollback');
        const signal = AbortSignal.timeout(40_000);
        for (const turn of locked) expect((await turn.outcome({ signal })).outcome.kind).toBe('completed');
      } finally {
        await locker.end();
      }
    },
  );
});
