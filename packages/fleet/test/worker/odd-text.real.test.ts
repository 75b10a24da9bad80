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
