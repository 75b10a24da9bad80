import { openFleet, startWorker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

const rule = { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' } as const;

/** A fleet with a parked turn, and a function for statements. */
async function stage(expiresAfterMs?: number) {
  const place = await testDatabase();
  const fleet = await openFleet({ ...place, limits });
  const agent = scriptedAgent(
    (turn) => turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built'),
    { parkAfterMs: 0, approvals: () => (expiresAfterMs === undefined ? undefined : { expiresAfterMs }) },
  );
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const worker = await startWorker({ ...place, limits, agent, onError });
  const query = (text: string) => sql(place.database, text.replaceAll('@', place.schema));
  const turn = await fleet.submit({ key: 'ann', prompt: 'build', tenant: 'acme' });
  await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
  const [approval] = await fleet.approvals({});
  // No turn of the tenant runs until the quota is removed.
  await query(`insert into @.tenant (name, max_concurrent) values ('acme', 0)`);
  const end = async (): Promise<void> => {
    await worker.stop();
    await fleet.close();
  };
  return { fleet, turn, approval, errors, query, [Symbol.asyncDispose]: end };
}

describe('a parked approval whose answer cannot be used', () => {
  it('[F-32, F-35] expires, even if its time was over while it had that answer', async () => {
    await using staged = await stage(4_000);
    const { fleet, turn, approval, query } = staged;
    // The options of the agent do not allow answers that change permissions.
    const unfit = { ...allow(), updatedPermissions: [rule] };
    await fleet.answer(approval?.id ?? '', unfit, { by: 'bob', hash: approval?.hash ?? '' });
    const timers = () => query(`select id from @.job where name like '%timer%' and state not in ('completed')`);
    await expect.poll(timers, { timeout: 20_000 }).toEqual([]);
    await query('delete from @.tenant');
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed' });
    const kinds = (await fleet.audit({ approval: approval?.id })).map(({ kind }) => kind);
    expect(kinds).toEqual(['requested', 'answered', 'reopened', 'expired', 'delivered']);
  });

  it.each([
    ['what is needed to ask again', `update @.approval set parked = 'null'`],
    ['the answer', `update @.approval set answer = '{"decision":"decideLater"}'`],
  ])('[F-30, F-35] waits for another one if a row was changed: %s', async (_, change) => {
    await using staged = await stage();
    const { fleet, approval, errors, query } = staged;
    await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    await query(change);
    await query('delete from @.tenant');
    await expect.poll(() => fleet.approvals({}), { timeout: 20_000 }).toHaveLength(1);
    expect(errors).toEqual([]);
  });
});
