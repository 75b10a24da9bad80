import { type EndedTurn, type FleetGroup, openFleet, type Submission, startWorker } from '@coxswain/fleet';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

const agent = scriptedAgent((turn, { prompt }) =>
  String(prompt).startsWith('hang') ? turn.say('I hang.').silence() : turn.say(`did ${String(prompt)}`),
);

const numbered = (count: number, key = (n: number): string => `c${n}`): Submission[] =>
  Array.from({ length: count }, (_, n) => ({ key: key(n), prompt: `p${n}` }));

const textOf = ({ outcome }: EndedTurn): string => (outcome.kind === 'completed' ? outcome.text : outcome.kind);

describe('a group of turns', () => {
  it('[F-45] is stored at once, runs on all workers, and yields every outcome as it comes, here and in other processes', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const group = await fleet.submitMany(
      numbered(20, (n) => `c${n % 7}`),
      { group: 'nightly' },
    );
    expect(await fleet.stats()).toMatchObject({ turns: { waiting: 20 }, groupsOpen: 1 });
    await using other = await openFleet({ ...place, limits });
    const elsewhere = await other.group('nightly');
    const seen: string[] = [];
    const watching = (async () => {
      for await (const turn of elsewhere.outcomes()) seen.push(turn.id);
    })();
    await using _a = await startWorker({ ...place, limits, agent });
    await using _b = await startWorker({ ...place, limits, agent });
    const ended = await group.done();
    await watching;
    expect(ended.map(textOf)).toEqual(numbered(20).map(({ prompt }) => `did ${String(prompt)}`));
    expect([...seen].sort()).toEqual(ended.map(({ id }) => id).sort());
    expect(ended[3]?.id).toBe('nightly-4');
    expect(await group.info()).toMatchObject({ size: 20, done: 20, waiting: 0, outcomes: { completed: 20 } });
    expect(await fleet.groups({ open: true })).toEqual([]);
    expect(await fleet.groups({ open: false })).toMatchObject([{ id: 'nightly' }]);
    expect(await fleet.turns({ group: 'nightly' })).toHaveLength(20);
    expect((await fleet.stats()).groupsOpen).toBe(0);
    // The turns of one conversation ran in their order.
    const order = await sql(
      place.database,
      `select key, array_agg(group_n order by seq) as turns from ${place.schema}.turn group by key order by key`,
    );
    expect(order[0]).toEqual({ key: 'c0', turns: [1, 8, 15] });
  });

  it('[F-45, F-1] repeated with the same group, or the same ids, it is the same turns', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const turns = numbered(3);
    const same = await Promise.all([1, 2, 3].map(() => fleet.submitMany(turns, { group: 'g' })));
    expect(new Set(same.map(({ id }) => id))).toEqual(new Set(['g']));
    const withIds = turns.map((turn, n) => ({ ...turn, id: `t${n}` }));
    const [one, two] = await Promise.all([fleet.submitMany(withIds), fleet.submitMany(withIds)]);
    expect(one.id).toBe(two.id);
    expect(await fleet.turns()).toHaveLength(6);
    expect((await one.turns()).map(({ id }) => id)).toEqual(['t0', 't1', 't2']);
    expect((await fleet.conversations()).map((found) => found.turns)).toEqual([2, 2, 2]);
    const jobs = await sql(
      place.database,
      `select count(*)::integer as count from ${place.schema}.job where name = 'turns'`,
    );
    expect(jobs).toEqual([{ count: 3 }]);
  });

  it('[F-45] is refused as a whole, and nothing of it is stored', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await fleet.submit({ key: 'ann', prompt: 'x', id: 'taken', tenant: 'acme' });
    await fleet.submitMany(numbered(2), { group: 'g' });
    const before = await sql(place.database, `select key, turn_seq from ${place.schema}.conversation order by key`);
    const refused: readonly [string, () => Promise<FleetGroup>][] = [
      ['submissions[1].id', () => fleet.submitMany([...numbered(1), { key: 'b', prompt: 'x', id: 'taken' }])],
      ['submissions[1].tenant', () => fleet.submitMany([...numbered(1), { key: 'ann', prompt: 'x', tenant: 'other' }])],
      ['submissions[2].tenant', () => fleet.submitMany([...numbered(2), { key: 'c1', prompt: 'x', tenant: 'other' }])],
      ['group', () => fleet.submitMany(numbered(3), { group: 'g' })],
      [
        'submissions[0].id',
        () => fleet.submitMany([{ key: 'c0', prompt: 'other' }, ...numbered(2).slice(1)], { group: 'g' }),
      ],
    ];
    for (const [field, call] of refused) await expect(call()).rejects.toMatchObject({ code: 'submission', field });
    expect(await sql(place.database, `select key, turn_seq from ${place.schema}.conversation order by key`)).toEqual(
      before,
    );
    expect(await fleet.groups()).toHaveLength(1);
    expect(await fleet.turns()).toHaveLength(3);
    await expect(fleet.group('none')).rejects.toMatchObject({ code: 'not-in-fleet', kind: 'group' });
  });

  it('[F-45] two groups that name the same conversations in opposite orders are both stored', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await using other = await openFleet({ ...place, limits });
    const keys = Array.from({ length: 50 }, (_, n) => `c${n}`);
    for (let round = 0; round < 5; round += 1)
      await Promise.all([
        fleet.submitMany(keys.map((key) => ({ key, prompt: 'a' }))),
        other.submitMany([...keys].reverse().map((key) => ({ key, prompt: 'b' }))),
      ]);
    expect(await fleet.stats()).toMatchObject({ turns: { waiting: 500 }, groupsOpen: 10 });
  });

  it('[F-45, F-9] an outcome arrives however its turn ended, also if no worker had it', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const group = await fleet.submitMany(
      [
        { key: 'a', prompt: 'one' },
        { key: 'b', prompt: 'hang' },
        { key: 'b', prompt: 'behind' },
      ],
      { group: 'g' },
    );
    const waiting = group.done();
    await fleet.cancel('g-3', { by: 'ann' });
    await using _worker = await startWorker({ ...place, limits, agent });
    await expect.poll(async () => (await (await fleet.turn('g-2')).info()).state, { timeout: 20_000 }).toBe('sent');
    await fleet.cancel('g-2', { by: 'ann' });
    expect((await waiting).map(textOf)).toEqual(['did one', 'interrupted', 'cancelled']);
    expect((await group.info()).outcomes).toEqual({ completed: 1, interrupted: 1, cancelled: 1 });
    const stopped = AbortSignal.abort();
    await expect(group.done({ signal: stopped })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('[F-45] 1,000 turns are one transaction', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const group = await fleet.submitMany(numbered(1_000), { group: 'big' });
    expect(await group.turns()).toHaveLength(1_000);
    const stored = await sql(
      place.database,
      `select count(*)::integer as count, count(job)::integer as jobs, count(distinct xmin::text)::integer as transactions
       from ${place.schema}.turn`,
    );
    expect(stored).toEqual([{ count: 1_000, jobs: 1_000, transactions: 1 }]);
    expect((await fleet.stats()).turns.waiting).toBe(1_000);
  });

  it('[F-45] nobody is notified about a group for which nobody waits', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await using _worker = await startWorker({ ...place, limits, agent });
    const notified: string[] = [];
    const client = new pg.Client({ connectionString: place.database });
    client.on('notification', ({ payload = '' }) => void notified.push(payload));
    await client.connect();
    await client.query(`listen coxswain_${place.schema}`);
    const quiet = await fleet.submitMany(numbered(3), { group: 'quiet' });
    await expect.poll(async () => (await quiet.info()).done, { timeout: 20_000 }).toBe(3);
    const watched = await fleet.submitMany(numbered(3), { group: 'watched' });
    expect(await watched.done()).toHaveLength(3);
    // The notifications of its last transaction arrive before the answer.
    await client.query('select 1');
    expect(notified.filter((topic) => topic.startsWith('g:')).every((topic) => topic === 'g:watched')).toBe(true);
    await client.end();
  });

  it('[F-45, F-14] prune removes a group with the last of its turns', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await using _worker = await startWorker({ ...place, limits, agent });
    const group = await fleet.submitMany(numbered(2), { group: 'g' });
    await group.done();
    const age = `now() - interval '40 days'`;
    const { database, schema } = place;
    const day = 24 * 3_600_000;
    await sql(database, `update ${schema}.turn_group set created_at = ${age}`);
    await sql(database, `update ${schema}.turn set ended_at = ${age} where id = 'g-1'`);
    await fleet.prune({ turnsBefore: 30 * day });
    expect(await group.info()).toMatchObject({ size: 2, done: 1 });
    expect(await group.done()).toHaveLength(1);
    await sql(database, `update ${schema}.turn set ended_at = ${age}`);
    await fleet.prune({ turnsBefore: 30 * day });
    await expect(group.info()).rejects.toMatchObject({ code: 'not-in-fleet' });
  });
});
