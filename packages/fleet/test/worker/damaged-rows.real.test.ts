import { type Fleet, openFleet, startWorker, type Worker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import { describe, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

const agent = scriptedAgent(
  (turn, { prompt }) =>
    prompt === 'ask'
      ? turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('made')
      : turn.say(`did ${prompt}`),
  { parkAfterMs: 0 },
);

interface Place {
  readonly database: string;
  readonly schema: string;
}

function hire(place: Place, errors: unknown[] = []): Promise<Worker> {
  return startWorker({ ...place, limits, agent, onError: (error) => errors.push(error) });
}

/** Parks a turn of each conversation, and leaves no worker. */
async function parked(place: Place, fleet: Fleet, keys: readonly string[]): Promise<void> {
  await using _worker = await hire(place);
  for (const key of keys) await fleet.submit({ key, prompt: 'ask', id: key });
  for (const key of keys)
    for await (const item of (await fleet.turn(key)).follow())
      if (item.kind === 'state' && item.state === 'parked') break;
}

async function answer(fleet: Fleet, key: string): Promise<void> {
  const [approval] = await fleet.approvals({ key });
  await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
}

const outcome = async (fleet: Fleet, id: string): Promise<unknown> => (await (await fleet.turn(id)).outcome()).outcome;

describe.concurrent('a row with a value that nobody can use', () => {
  it('[F-28] in a waiting turn does not keep the others from running, and all are listed', async ({ expect }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await fleet.submit({ key: 'a', prompt: 'one', id: 'a' });
    await sql(place.database, `update ${place.schema}.turn set created_at = '-infinity'`);
    await fleet.submit({ key: 'b', prompt: 'two', id: 'b' });
    await using _worker = await hire(place);
    expect(await outcome(fleet, 'b')).toMatchObject({ kind: 'completed', text: 'did two' });
    expect(await fleet.turns()).toHaveLength(2);
  });

  it('[F-28, F-35] in a parked turn does not keep the answers to other turns from their agents', async ({ expect }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await parked(place, fleet, ['a', 'b']);
    // The queue refuses a job without a tenant.
    await sql(place.database, `update ${place.schema}.turn set tenant = '' where id = 'a'`);
    for (const key of ['a', 'b']) await answer(fleet, key);
    const errors: unknown[] = [];
    await using _worker = await hire(place, errors);
    await expect.poll(() => errors).not.toEqual([]);
    expect(await outcome(fleet, 'b')).toMatchObject({ kind: 'completed', text: 'made' });
  });

  it('[F-28, F-32] in an approval without an age does not keep the others from their lists and their expiry', async ({
    expect,
  }) => {
    const place = await testDatabase();
    const { database, schema } = place;
    await using fleet = await openFleet({ ...place, limits });
    await parked(place, fleet, ['a', 'b']);
    await sql(database, `update ${schema}.approval set stages = '[{"groups":null,"untilMs":1}]', expires_at = now()`);
    await sql(database, `update ${schema}.approval set created_at = 'infinity' where key = 'a'`);
    await sql(
      database,
      `insert into ${schema}.job_common (name, data, retry_limit, expire_seconds, deletion_seconds, policy)
       select 'approval-timers', json_build_object('approval', id), 1000, 900, 60, 'standard' from ${schema}.approval order by key`,
    );
    await using _worker = await hire(place);
    expect(await outcome(fleet, 'b')).toMatchObject({ kind: 'completed' });
    expect(await fleet.approvals({ state: 'expired' })).toHaveLength(2);
  });

  it('[F-8, F-35] an answer reaches its turn if the clock of the database was set back behind its submission', async ({
    expect,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await parked(place, fleet, ['a']);
    await sql(place.database, `update ${place.schema}.turn set start_after = now() + interval '1 hour'`);
    await answer(fleet, 'a');
    await using _worker = await hire(place);
    expect(await outcome(fleet, 'a')).toMatchObject({ kind: 'completed', text: 'made' });
  });

  it('[F-30] an approval whose request is missing cannot be answered, and the error names the reason', async ({
    expect,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await parked(place, fleet, ['a']);
    const [approval] = await fleet.approvals();
    await sql(place.database, `update ${place.schema}.approval set request = 'null'`);
    const given = fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    await expect(given).rejects.toMatchObject({ code: 'approval-hash' });
  });
});
