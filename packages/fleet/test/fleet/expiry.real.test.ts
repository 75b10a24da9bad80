import { openFleet, startWorker } from '@coxswain/fleet';
import { allow, deny } from 'coxswain';
import { describe, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { asking } from '../support/asking.ts';
import { sql, testDatabase } from '../support/database.ts';

const hour = 3_600_000;

describe.concurrent('an approval with a time limit', () => {
  it('[F-32] is denied with the reason when nobody answers in time, and the agent goes on', async ({ expect }) => {
    await using asked = await asking({ expiresAfterMs: 1_000, onExpiry: { deny: 'The release window has closed.' } });
    const { fleet, turn, approval } = asked;
    const { id, hash } = approval;
    expect(approval).toMatchObject({ onExpiry: 'deny', expiresAt: approval.requestedAt + 1_000 });
    let denied = '';
    for await (const item of turn.follow())
      if (item.kind === 'message' && item.message.type === 'user') denied += JSON.stringify(item.message);
    expect(denied).toContain('The release window has closed.');
    expect((await turn.outcome()).outcome.kind).toBe('completed');
    expect(await fleet.approvals({ state: 'expired' })).toMatchObject([{ id, by: null, answer: null }]);
    await expect(fleet.answer(id, allow(), { by: 'late', hash })).rejects.toMatchObject({
      code: 'approval-closed',
      state: 'expired',
    });
    expect((await fleet.audit({ approval: id })).map(({ kind }) => kind)).toEqual([
      'requested',
      'expired',
      'delivered',
      'refused',
    ]);
  });

  it('[F-32] is escalated to other groups, which have a time of their own; the first ones may no longer answer', async ({
    expect,
  }) => {
    const leads = { groups: ['leads'], expiresAfterMs: hour };
    await using asked = await asking({ groups: ['release'], expiresAfterMs: 1_000, onExpiry: { escalate: leads } });
    const { fleet, turn, approval } = asked;
    const { id, hash, requestedAt } = approval;
    await expect.poll(() => fleet.audit({ approval: id, kind: 'escalated' }), { timeout: 20_000 }).toHaveLength(1);
    expect(await fleet.approvals()).toMatchObject([
      { id, groups: ['leads'], onExpiry: 'deny', escalations: 1, expiresAt: requestedAt + 1_000 + hour },
    ]);
    await expect(fleet.answer(id, allow(), { by: 'rob', hash, groups: ['release'] })).rejects.toMatchObject({
      code: 'approval-forbidden',
      groups: ['leads'],
    });
    await fleet.answer(id, allow(), { by: 'lea', hash, groups: ['leads'] });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    const [escalated] = await fleet.audit({ kind: 'escalated' });
    expect(escalated?.detail).toEqual({ before: ['release'], groups: ['leads'] });
  });

  it('[F-32] the clock decides, not a worker: without one, the next groups answer, and later nobody', async ({
    expect,
  }) => {
    const leads = { groups: ['leads'], expiresAfterMs: hour };
    await using asked = await asking({ groups: ['release'], expiresAfterMs: hour, onExpiry: { escalate: leads } });
    const { fleet, approval, database, schema } = asked;
    const { id, hash } = approval;
    const age = (ms: number): Promise<unknown> =>
      sql(
        database,
        `update ${schema}.approval set created_at = created_at - $1 * interval '1 ms', expires_at = expires_at - $1 * interval '1 ms'`,
        [ms],
      );
    await age(hour);
    expect(await fleet.approvals()).toMatchObject([{ groups: ['leads'], escalations: 1 }]);
    await expect(fleet.answer(id, allow(), { by: 'rob', hash, groups: ['release'] })).rejects.toMatchObject({
      code: 'approval-forbidden',
    });
    await age(hour);
    expect(await fleet.approvals()).toEqual([]);
    expect(await fleet.approvals({ state: 'expired' })).toMatchObject([{ id, state: 'expired' }]);
    await expect(fleet.answer(id, allow(), { by: 'lea', hash, groups: ['leads'] })).rejects.toMatchObject({
      code: 'approval-closed',
      state: 'expired',
    });
  });

  it('[F-31, F-32] an approval that is escalated while an answer is being authorized is authorized again, with the new groups', async ({
    expect,
  }) => {
    let age: () => Promise<unknown> = async () => {};
    const groups: unknown[] = [];
    await using asked = await asking(
      { groups: ['release'], expiresAfterMs: hour, onExpiry: { escalate: { groups: ['leads'] } } },
      {
        authorize: async (_caller, approval) => {
          groups.push(approval.groups);
          await age();
          return true;
        },
      },
    );
    const { fleet, approval, database, schema } = asked;
    age = () => sql(database, `update ${schema}.approval set created_at = created_at - interval '2 hours'`);
    await fleet.answer(approval.id, allow(), { by: 'ann', hash: approval.hash });
    expect(groups).toEqual([['release'], ['leads']]);
  });

  it('[F-8, F-32] an answer and the expiry at the same time: exactly one wins, for the row, the agent and the audit', async ({
    expect,
  }) => {
    for (let round = 0; round < 5; round += 1) {
      await using asked = await asking({ expiresAfterMs: 2_000 });
      const { fleet, approval, turn } = asked;
      const { id, hash, expiresAt } = approval;
      // The moments around the end: whichever is first, the other must have no effect.
      await new Promise((resolve) => setTimeout(resolve, (expiresAt ?? 0) - Date.now() - 20 + round * 10));
      const answered = await fleet.answer(id, allow(), { by: 'ann', hash }).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ code: 'approval-closed', state: 'expired' });
          return false;
        },
      );
      expect((await turn.outcome()).outcome.kind).toBe('completed');
      const kinds = (await fleet.audit({ approval: id })).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'answered' || kind === 'expired')).toEqual([
        answered ? 'answered' : 'expired',
      ]);
      expect(await fleet.approvals({ state: answered ? 'answered' : 'expired' })).toHaveLength(1);
    }
  });

  it('[F-32] timers survive workers: one that starts later expires what was due meanwhile', async ({ expect }) => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const agent = scriptedAgent(
      (turn) => turn.useTool('Bash', { command: 'make' }, { permission: 'ask' }).say('built'),
      {
        approvals: () => ({ expiresAfterMs: 1_000 }),
      },
    );
    const slow = { ...limits, sweepMs: 600_000 };
    await using _first = await startWorker({ database, schema, limits: slow, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    for await (const item of turn.follow()) if (item.kind === 'permission-requested') break;
    await using _second = await startWorker({ database, schema, limits, agent });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
    expect(await fleet.audit({ kind: 'expired' })).toHaveLength(1);
  });

  it('[F-27, F-32] invalid terms deny the request, and are reported', async ({ expect }) => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const errors: unknown[] = [];
    const agent = scriptedAgent(
      (turn) => turn.useTool('Bash', { command: 'make' }, { permission: 'ask' }).say('built'),
      {
        approvals: () => ({ groups: [] }),
      },
    );
    await using _worker = await startWorker({
      database,
      schema,
      limits,
      agent,
      onError: (error) => errors.push(error),
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
    expect(errors).toMatchObject([{ code: 'agent-function', function: 'approvals' }]);
    expect(await fleet.audit()).toEqual([]);
  });

  it('[F-32] an answer in time keeps its effect after the time is over', async ({ expect }) => {
    await using asked = await asking({ expiresAfterMs: 5_000 });
    const { fleet, turn, approval } = asked;
    await fleet.answer(approval.id, deny('no'), { by: 'ann', hash: approval.hash });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
    const { database, schema } = asked;
    const timers = `select 1 from ${schema}.job where name = 'approval-timers' and state = 'completed'`;
    await expect.poll(() => sql(database, timers), { timeout: 20_000 }).toHaveLength(1);
    expect(await fleet.approvals({ state: 'answered' })).toMatchObject([{ by: 'ann' }]);
    expect(await fleet.audit({ kind: 'expired' })).toEqual([]);
  });
});
