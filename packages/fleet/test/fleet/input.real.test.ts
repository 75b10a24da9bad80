import { openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';

describe('input that only the database or the agent can check', () => {
  it('a schedule is refused if its expression has no time, or if its conversation has another tenant', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await fleet.submit({ key: 'acme/c1', prompt: 'Hello', tenant: 'acme' });
    const schedule = { name: 'nightly', cron: '0 3 * * *', key: 'acme/c1', prompt: 'p', tenant: 'acme' };
    for (const cron of ['99 * * * *', '* * 31 2 *x', 'FREQ=SOMETIMES', 'FREQ=DAILY;UNTIL=20200101T000000Z']) {
      await expect(fleet.schedule({ ...schedule, cron })).rejects.toMatchObject({ code: 'submission', field: 'cron' });
    }
    for (const tenant of ['globex', undefined]) {
      await expect(fleet.schedule({ ...schedule, tenant })).rejects.toMatchObject({
        code: 'submission',
        field: 'tenant',
      });
    }
    expect(await fleet.schedules()).toEqual([]);
    await fleet.schedule({ ...schedule, cron: 'FREQ=DAILY;BYHOUR=3', timeZone: 'Europe/Berlin' });
    expect(await fleet.schedules()).toEqual([{ ...schedule, cron: 'FREQ=DAILY;BYHOUR=3', timeZone: 'Europe/Berlin' }]);
  });

  it('[F-1] a prompt and data keep every character', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const prompt = 'nul \0, half \ud800, backslash \\u0000 and é';
    const turn = await fleet.submit({ key: 'ann', prompt, data: { prompt } });
    expect(await turn.info()).toMatchObject({ prompt });
  });

  it('[F-1] the same id with another prompt or other data is refused, and the first turn stays', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const first = await fleet.submit({ key: 'ann', id: 'order-7', prompt: 'Ship it.', data: { to: 'Bob' } });
    const again = await fleet.submit({ key: 'ann', id: 'order-7', prompt: 'Ship it.', data: { to: 'Bob' } });
    expect(again.id).toBe(first.id);
    for (const other of [
      { prompt: 'Cancel it.', data: { to: 'Bob' } },
      { prompt: 'Ship it.', data: { to: 'Eve' } },
      { prompt: 'Ship it.' },
    ])
      await expect(fleet.submit({ key: 'ann', id: 'order-7', ...other })).rejects.toMatchObject({
        code: 'submission',
        field: 'id',
      });
    expect(await fleet.turns()).toMatchObject([{ id: 'order-7', prompt: 'Ship it.' }]);
    // The next turn has the next number.
    expect(await (await fleet.submit({ key: 'ann', prompt: 'And?' })).info()).toMatchObject({ seq: 2 });
  });

  it('[F-1] resend() with an id submits one turn, however often it is repeated', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await fleet.cancel(turn.id);
    const resent = await fleet.resend(turn.id, { id: 'again-1', by: 'ops' });
    expect((await fleet.resend(turn.id, { id: 'again-1', by: 'ops' })).id).toBe(resent.id);
    expect(await fleet.turns()).toHaveLength(2);
    // A turn that is there for another reason is not sent again, so its id is not the answer.
    const other = await fleet.submit({ key: 'ann', prompt: 'one' });
    for (const id of [turn.id, other.id])
      await expect(fleet.resend(turn.id, { id })).rejects.toMatchObject({ code: 'submission', field: 'id' });
    const same = fleet.submit({ key: 'ann', prompt: 'one', id: 'again-1' });
    await expect(same).rejects.toMatchObject({ code: 'submission', field: 'id' });
  });

  it('[F-10] a reached quota is listed with the turns that it holds back', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await fleet.setQuota('acme', { maxConcurrent: 0, maxUsdPerDay: 5 });
    await fleet.setQuota('globex', { maxConcurrent: 1 });
    for (const key of ['one', 'two']) await fleet.submit({ key, prompt: 'Hello', tenant: 'acme' });
    await fleet.submit({ key: 'late', prompt: 'Hello', tenant: 'acme', startAfter: 3_600_000 });
    await fleet.submit({ key: 'three', prompt: 'Hello', tenant: 'globex' });
    const acme = { tenant: 'acme', maxConcurrent: 0, running: 0, waiting: 2, usdToday: 0, reached: 'maxConcurrent' };
    expect(await fleet.stats()).toMatchObject({ turns: { waiting: 3 }, heldBack: [acme] });
    expect(await fleet.quotas()).toMatchObject([acme, { tenant: 'globex', waiting: 1, reached: null }]);
    expect(await fleet.metrics()).toMatch(/^coxswain_fleet_turns_held_by_quota 2$/m);
    // The results of quotas() can be set again, in another fleet or after a change.
    for (const quota of await fleet.quotas()) await fleet.setQuota(quota.tenant, { ...quota, maxConcurrent: 2 });
    expect(await fleet.stats()).toMatchObject({ heldBack: [] });
    await fleet.setQuota('acme', null);
    expect((await fleet.quotas()).map(({ tenant }) => tenant)).toEqual(['globex']);
  });

  it('[F-3] a failed turn has a code for its cause: data that does not match, an error of the agent', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const data = z.object({ plan: z.enum(['free', 'pro']) });
    const agent = scriptedAgent(undefined, { data });
    const broken = {
      ...agent,
      options: (job: Parameters<typeof agent.options>[0]) => {
        if (job.prompt === 'break') throw new RangeError('no such repository');
        return agent.options(job);
      },
    };
    await using _worker = await startWorker({ database, schema, limits, agent: broken });
    const outcome = async (prompt: string, plan: string): Promise<unknown> =>
      (await (await fleet.submit({ key: prompt, prompt, data: { plan } })).outcome()).outcome;
    expect(await outcome('gold', 'gold')).toMatchObject({
      kind: 'failed',
      error: { code: 'turn-data', message: expect.stringContaining('plan: ') },
    });
    expect(await outcome('break', 'pro')).toMatchObject({
      kind: 'failed',
      error: { code: 'agent-failed', name: 'RangeError', message: 'no such repository' },
    });
    expect(await outcome('works', 'pro')).toMatchObject({ kind: 'completed' });
  });
});
