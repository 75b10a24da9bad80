import { isFleetError, openFleet, startWorker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { type CrashingServer, crashingServer, POSTGRES } from '../support/crashing-server.ts';
import { sql } from '../support/database.ts';

/** Defaults of a role; each of these would break a guarantee of the fleet, or all its turns. */
const ROLES: readonly { readonly name: string; readonly settings: Readonly<Record<string, string>> }[] = [
  { name: 'german', settings: { datestyle: 'German, DMY' } },
  { name: 'serial', settings: { default_transaction_isolation: 'serializable' } },
  { name: 'impatient', settings: { lock_timeout: '20ms', statement_timeout: '250ms' } },
  { name: 'rounding', settings: { extra_float_digits: '-15' } },
];

describe.each(POSTGRES)('a role of $release', ({ binaries }) => {
  let server: CrashingServer;
  beforeAll(async () => {
    server = await crashingServer(binaries);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(ROLES)(
    '[F-18] ($name) with other defaults changes nothing: turns run, and times are parsed',
    async ({ name, settings }) => {
      const database = await server.role(name, settings);
      const shared = { database, schema: name, limits };
      await using fleet = await openFleet(shared);
      const agent = scriptedAgent((turn) => turn.say('ok').result({ costUsd: 0.0123456789 }));
      await using worker = await startWorker({ ...shared, agent, slots: 8 });
      const before = Date.now();
      const keys = Array.from({ length: 8 }, (_, n) => `c${n}`);
      const turns = await Promise.all(keys.map((key) => fleet.submit({ key, prompt: 'one', tenant: 'ann' })));
      const ended = await Promise.all(turns.map((turn) => turn.outcome()));
      expect(ended.map(({ outcome }) => outcome.kind)).toEqual(keys.map(() => 'completed'));
      expect(ended.map(({ costUsd }) => costUsd)).toEqual(keys.map(() => 0.0123456789));
      for (const { createdAt, endedAt } of await fleet.turns()) {
        expect(createdAt).toBeGreaterThan(before - 60_000);
        expect(endedAt).toBeGreaterThanOrEqual(createdAt);
      }
      expect((await fleet.stats()).workers[0]?.startedAt).toBeGreaterThan(before - 60_000);
      expect((await fleet.conversations())[0]?.updatedAt).toBeGreaterThan(before - 60_000);
      expect(await worker.check()).toMatchObject({ ready: true, problem: undefined });
    },
  );

  it('[F-18] with serializable transactions by default causes no serialization failure, whatever runs at once', async () => {
    const database = await server.role('strict', { default_transaction_isolation: 'serializable' });
    const shared = { database, schema: 'strict', limits };
    await using fleet = await openFleet(shared);
    await using other = await openFleet(shared);
    const errors: unknown[] = [];
    const agent = scriptedAgent((turn) =>
      turn
        .useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' })
        .say('ok')
        .result({ costUsd: 0.01 }),
    );
    const start = (): ReturnType<typeof startWorker> =>
      startWorker({ ...shared, agent, slots: 8, onError: (error) => errors.push(error) });
    await using _first = await start();
    await using _second = await start();
    await fleet.setQuota('ann', { maxConcurrent: 12, maxUsdPerDay: 100 });
    const numbers = Array.from({ length: 24 }, (_, n) => n);
    const turns = await Promise.all(
      numbers.map((n) => (n % 2 ? fleet : other).submit({ key: `c${n % 6}`, prompt: `${n}`, tenant: 'ann' })),
    );
    const ended = Promise.all(
      turns.map(async (turn) => {
        let last: string | undefined;
        for await (const item of turn.follow()) {
          last = item.kind === 'outcome' ? item.outcome.kind : last;
          if (item.kind !== 'permission-requested' || item.approval === null) continue;
          // Both answer at the same time; one of them wins.
          const answers = await Promise.allSettled(
            [fleet, other].map((one) => one.answer(item.approval ?? '', allow(), { by: 'ann', hash: item.hash })),
          );
          expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
          for (const answer of answers)
            if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'approval-closed' });
        }
        return last;
      }),
    );
    const busy = Promise.all(
      numbers.map(async (n) => {
        await Promise.all([fleet.stats(), other.quotas(), fleet.conversations(), other.turns(), fleet.spend()]);
        await fleet.setQuota('ann', { maxConcurrent: 12 + n, maxUsdPerDay: 100 });
        await other.prune({ turnsBefore: 3_600_000 });
        await fleet.cancel((await other.submit({ key: `x${n % 3}`, prompt: 'x', startAfter: 3_600_000 })).id);
      }),
    );
    expect(new Set(await ended)).toEqual(new Set(['completed']));
    await busy;
    expect(errors).toEqual([]);
  });

  it.for([
    { role: 'hurried', setting: 'lock_timeout' },
    // Introduced by PostgreSQL 17.
    { role: 'brief', setting: 'transaction_timeout' },
  ])('[F-18] with a short $setting does not fail calls that wait for a row', async ({ role, setting }, { skip }) => {
    const [known] = await sql(server.url, 'select 1 from pg_settings where name = $1', [setting]);
    if (known === undefined) skip();
    const database = await server.role(role, { [setting]: '200ms' });
    await using fleet = await openFleet({ database: server.url, schema: role, limits });
    await using waiting = await openFleet({ database, schema: role, limits, create: false });
    await fleet.submit({ key: 'ann', prompt: 'one', startAfter: 3_600_000 });
    const other = new pg.Client({ connectionString: server.url });
    await other.connect();
    await other.query('begin');
    await other.query(`select 1 from ${role}.conversation for update`);
    const second = waiting.submit({ key: 'ann', prompt: 'two', startAfter: 3_600_000 });
    const isWaiting = async (): Promise<number> =>
      (await sql(server.url, `select 1 from pg_stat_activity where wait_event_type = 'Lock' and usename = '${role}'`))
        .length;
    await expect.poll(isWaiting).toBe(1);
    await other.query('select pg_sleep(0.5)');
    await other.query('commit');
    await other.end();
    expect((await second).key).toBe('ann');
  });

  it('[F-18] a database with another encoding is refused, with and without create', async () => {
    await sql(server.url, `create database latin encoding 'LATIN1' locale 'C' template template0`);
    const database = server.url.replace('/postgres?', '/latin?');
    for (const create of [true, false]) {
      const opening = openFleet({ database, limits, create });
      await expect(opening).rejects.toMatchObject({ code: 'database-encoding', encoding: 'LATIN1' });
      await expect(opening).rejects.toSatisfy((error) => isFleetError(error, 'database-encoding'));
    }
    expect(await sql(database, `select 1 from pg_namespace where nspname = 'coxswain'`)).toEqual([]);
  });
});
