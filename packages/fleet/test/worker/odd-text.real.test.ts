import { openFleet, startWorker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { quick, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

describe('a parked request with text that PostgreSQL cannot decode', () => {
  it.each([
    ['a NUL in an answer of the model', { said: 'a\u0000b', command: 'make' }],
    ['half a character in an answer of the model', { said: 'a\ud800b', command: 'make' }],
    ['a NUL in the input', { said: 'ab', command: 'a\u0000\udc00b' }],
  ])('[F-35] is parked when its worker is lost, and resumed: %s', async (_, { said, command }) => {
    const place = await testDatabase();
    const limits = { ...quick, leaseMs: 4_000 };
    await using fleet = await openFleet({ ...place, limits });
    const agent = scriptedAgent(
      (turn) => turn.say(said).useTool('Bash', { command }, { result: 'made', permission: 'ask' }).say('built'),
      { parkAfterMs: Number.POSITIVE_INFINITY },
    );
    await using _worker = await startWorker({ ...place, limits, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    await expect.poll(() => fleet.approvals({}), { timeout: 20_000 }).toHaveLength(1);
    const lost = `update ${place.schema}.conversation set owner = 'lost', claim = 'lost', lease_until = now() - interval '1 minute'`;
    await sql(place.database, lost);
    await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
    const [approval] = await fleet.approvals({});
    await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
  });
});

/** If a worker had to lose the turn first, the test would take too long. */
const patient = { ...quick, leaseMs: 300_000 };

describe('a request that cannot be stored', () => {
  it.each(['approval', 'event'])(
    '[F-36] in %s for good ends its turn at once, and nothing waits for an answer that nobody can give',
    async (table) => {
      const place = await testDatabase();
      const { database, schema } = place;
      await using fleet = await openFleet({ ...place, limits: quick });
      const refuse = `create function ${schema}.refuse() returns trigger language plpgsql as
      $$ begin
        if to_jsonb(new) ->> 'kind' in ('state', 'outcome', 'message') then return new; end if;
        raise exception 'refused' using errcode = '22023';
      end $$`;
      await sql(database, refuse);
      const on = `create trigger refuse before insert on ${schema}.${table} for each row execute function ${schema}.refuse()`;
      await sql(database, on);
      const agent = scriptedAgent((turn) =>
        turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }),
      );
      await using _worker = await startWorker({ ...place, limits: patient, agent, onError: () => {} });
      const turns = await Promise.all(['a', 'b', 'c', 'd'].map((key) => fleet.submit({ key, prompt: 'build' })));
      for (const turn of turns)
        expect((await turn.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'database' });
      expect(await fleet.approvals()).toEqual([]);
    },
  );

  it.each([1_100, 3_000])('[P-3] because it has %i levels is denied, and the turn goes on', async (levels) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits: quick });
    const input = JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    const agent = scriptedAgent((turn) =>
      turn.useTool('Bash', input, { result: 'made', permission: 'ask' }).say('built'),
    );
    await using _worker = await startWorker({ ...place, limits: quick, agent, onError: () => {} });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    expect(await fleet.audit()).toEqual([]);
  });
});
