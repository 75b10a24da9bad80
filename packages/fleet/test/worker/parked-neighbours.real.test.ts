import { type Fleet, openFleet, startWorker, type Worker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import pg from 'pg';
import { describe, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

const asks = scriptedAgent(
  (turn, { prompt }) =>
    turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say(`did ${prompt}`),
  { parkAfterMs: 0 },
);

interface Place {
  readonly database: string;
  readonly schema: string;
}

/** Parks a turn of each conversation, and leaves no worker. */
async function parked(place: Place, fleet: Fleet, keys: readonly string[]): Promise<void> {
  await using worker = await hire(place);
  for (const key of keys) await fleet.submit({ key, prompt: 'build', id: key });
  for (const key of keys)
    for await (const item of (await fleet.turn(key)).follow())
      if (item.kind === 'state' && item.state === 'parked') break;
  await worker.drain();
}

function hire(place: Place, errors: unknown[] = [], slots = 4): Promise<Worker> {
  return startWorker({ ...place, limits, agent: asks, slots, onError: (error) => errors.push(error) });
}

async function answer(fleet: Fleet, key: string): Promise<void> {
  const [approval] = await fleet.approvals({ key });
  await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
}

/** Another program that locks rows. */
async function locked({ database, schema }: Place, rows: string): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query('begin');
  await client.query(`select 1 from ${schema}.${rows} for update`);
  return { [Symbol.asyncDispose]: () => client.end() };
}

/** Copies the only parked turn this many times: `p1`, `p2`, … of the conversations `k1`, `k2`, … */
async function copies({ database, schema }: Place, count: number, approval: string): Promise<void> {
  const each = `from generate_series(1, ${count}) i`;
  await sql(
    database,
    `insert into ${schema}.conversation (key, tenant, turn_seq) select 'k' || i, 'default', 1 ${each}`,
  );
  await sql(
    database,
    `insert into ${schema}.turn (id, key, seq, tenant, state, prompt, approval, parked_at)
     select '0p' || i, 'k' || i, 1, 'default', 'parked', '"build"', 'a' || i, now() ${each}`,
  );
  await sql(
    database,
    `insert into ${schema}.approval (id, key, turn, tenant, request_id, request, hash, deny_reason, parked, stages, expires_at, state)
     select 'a' || i, 'k' || i, '0p' || i, 'default', 'r', '{"toolName":"Bash","input":{}}', 'h', 'no', '{}', ${approval} ${each}`,
  );
}

/** The time of all approvals is over, and their timers are due. */
async function letExpire({ database, schema }: Place): Promise<void> {
  await sql(database, `update ${schema}.approval set stages = '[{"groups":null,"untilMs":1}]', expires_at = now()`);
  await sql(
    database,
    `insert into ${schema}.job_common (name, data, retry_limit, expire_seconds, deletion_seconds, policy)
     select 'approval-timers', json_build_object('approval', id), 1000, 900, 60, 'standard' from ${schema}.approval order by id`,
  );
}

const WITHOUT_LIMIT = `'[{"groups":null,"untilMs":null}]', null::timestamptz`;

describe.concurrent('a parked turn whose rows cannot be changed now', () => {
  it('[F-28, F-35] does not keep the answers to other turns from their agents', async ({ expect }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await parked(place, fleet, ['a', 'b', 'c']);
    await using _lock = await locked(place, `turn where id = 'a'`);
    for (const key of ['a', 'b', 'c']) await answer(fleet, key);
    const errors: unknown[] = [];
    await using _worker = await hire(place, errors);
    for (const key of ['b', 'c'])
      expect((await (await fleet.turn(key)).outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did build' });
    expect(errors[0]).toMatchObject({ code: 'database-unavailable', reason: '55P03' });
    await _lock[Symbol.asyncDispose]();
    expect((await (await fleet.turn('a')).outcome()).outcome).toMatchObject({ kind: 'completed' });
  });

  it.for([
    ['is locked', `conversation where key = 'a'`],
    ['is damaged', undefined],
  ] as const)('[F-9, F-28] and %s does not keep other cancelled turns from their end', async ([, rows], { expect }) => {
    const place = await testDatabase();
    const { database, schema } = place;
    await using fleet = await openFleet({ ...place, limits });
    await parked(place, fleet, ['a', 'b']);
    for (const key of ['a', 'b']) await fleet.cancel(key, { by: 'ann' });
    await using _lock = rows === undefined ? undefined : await locked(place, rows);
    if (rows === undefined) {
      await sql(
        database,
        `create function ${schema}.refuse() returns trigger language plpgsql as
         $$ begin if new.key = 'a' then raise exception 'damaged'; end if; return new; end $$`,
      );
      await sql(
        database,
        `create trigger refuse before update on ${schema}.turn for each row execute function ${schema}.refuse()`,
      );
    }
    const errors: unknown[] = [];
    await using _worker = await hire(place, errors);
    expect((await (await fleet.turn('b')).outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'cancel' });
    await expect.poll(() => errors[0]).toMatchObject({ code: 'database-unavailable' });
    expect(await (await fleet.turn('a')).info()).toMatchObject({ state: 'parked' });
  });

  it('[F-28, F-32] does not keep other approvals from their expiry', async ({ expect }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await parked(place, fleet, ['a', 'b']);
    await letExpire(place);
    await using _lock = await locked(place, `approval where key = 'a'`);
    const errors: unknown[] = [];
    await using _worker = await hire(place, errors);
    expect((await (await fleet.turn('b')).outcome()).outcome).toMatchObject({ kind: 'completed' });
    await expect.poll(() => errors[0], { timeout: 20_000 }).toMatchObject({ reason: '55P03' });
    await _lock[Symbol.asyncDispose]();
    expect((await (await fleet.turn('a')).outcome()).outcome).toMatchObject({ kind: 'completed' });
  });
});

describe.concurrent('thousands of parked turns', () => {
  it('[F-35] do not keep an answer from its agent, if each has another request that was never delivered', async ({
    expect,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await copies(place, 300, `${WITHOUT_LIMIT}, 'pending'`);
    await sql(
      place.database,
      `insert into ${place.schema}.approval (id, key, turn, tenant, request_id, request, state)
       select 'b' || id, key, turn, tenant, 'other', request, 'expired' from ${place.schema}.approval`,
    );
    await parked(place, fleet, ['z']);
    await answer(fleet, 'z');
    await using _worker = await hire(place);
    expect((await (await fleet.turn('z')).outcome()).outcome).toMatchObject({ kind: 'completed' });
  });

  it('[F-4, F-32] that expire at the same time do not delay the takeover of lost conversations', async ({ expect }) => {
    const place = await testDatabase();
    const { database, schema } = place;
    await using fleet = await openFleet({ ...place, limits });
    await copies(place, 4_000, `${WITHOUT_LIMIT}, 'pending'`);
    await letExpire(place);
    await fleet.submit({ key: 'lost', prompt: 'build', startAfter: 3_600_000 });
    const lose = `update ${schema}.conversation set owner = 'ghost', claim = 'x', lease_until = now() where key = 'lost'`;
    await sql(database, lose);
    await using _worker = await startWorker({ ...place, limits: { ...limits, leaseMs: 2_000 }, agent: asks, slots: 1 });
    const owner = `select owner from ${schema}.conversation where key = 'lost'`;
    await expect.poll(() => sql(database, owner), { timeout: 60_000 }).toEqual([{ owner: null }]);
    const left = await sql(database, `select 1 from ${schema}.approval where state = 'pending'`);
    expect(left.length).toBeGreaterThan(0);
  });

  it('[F-11] that are answered do not delay a drain, however slow the network is', async ({ expect }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await copies(place, 100, `${WITHOUT_LIMIT}, 'expired'`);
    await using wire = await databaseProxy(place.database);
    const worker = await hire({ ...place, database: wire.url }, [], 1);
    const queued = (): ReturnType<typeof sql> =>
      sql(place.database, `select 1 from ${place.schema}.turn where job is not null`);
    wire.delay(100);
    await expect.poll(async () => (await queued()).length, { timeout: 20_000 }).toBeGreaterThan(0);
    await worker.drain({ timeoutMs: 0 });
    expect((await queued()).length).toBeLessThan(100);
    await fleet.close();
  });
});
