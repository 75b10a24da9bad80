import { defineAgent, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { allow, decideLater } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { dying, quick as limits, scriptedAgent, takingOver } from '../support/agents.ts';
import { asking } from '../support/asking.ts';
import { sql, testDatabase } from '../support/database.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/processes.ts';

describe('a parked turn', () => {
  it('[F-35] is listed with its approval and since when, counted, and followed', async () => {
    await using stage = await asking({ groups: ['release'] });
    const { fleet, worker, turn, approval, database, schema } = stage;
    expect(approval).toMatchObject({ state: 'pending', parkedAt: null });
    expect(await turn.info()).toMatchObject({ state: 'sent', parkedAt: null, approval: null });
    await worker.drain();
    const { parkedAt } = await turn.info();
    expect(parkedAt).toBeGreaterThanOrEqual(approval.requestedAt);
    expect(await fleet.turns({ state: 'parked' })).toMatchObject([
      { id: turn.id, parkedAt, approval: approval.id, worker: null, outcome: null },
    ]);
    expect(await fleet.approvals()).toEqual([{ ...approval, parkedAt }]);
    expect(await fleet.conversations()).toMatchObject([{ key: 'ann', parked: true, running: false, waiting: 0 }]);
    expect(await fleet.stats()).toMatchObject({
      turns: { parked: 1, running: 0, waiting: 0 },
      oldestWaitMs: null,
      approvalsPending: 1,
    });
    expect(await fleet.metrics()).toMatch(/^coxswain_fleet_turns_parked 1$/m);

    await fleet.answer(approval.id, allow(), { by: 'bob', hash: approval.hash, groups: ['release'] });
    // It still is parked: no worker runs.
    expect(await turn.info()).toMatchObject({ state: 'parked', parkedAt, approval: approval.id });
    const agent = scriptedAgent((said) =>
      said.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built'),
    );
    await using _next = await startWorker({ database, schema, limits, agent });
    const states: string[] = [];
    for await (const item of turn.follow()) if (item.kind === 'state') states.push(item.state);
    expect(states).toEqual(['claimed', 'sent', 'parked', 'claimed', 'sent']);
    expect(await turn.info()).toMatchObject({ state: 'done', parkedAt: null, approval: null });
    expect(await fleet.approvals({ state: 'answered' })).toMatchObject([{ id: approval.id, parkedAt: null }]);
    expect(await fleet.conversations()).toMatchObject([{ parked: false }]);
    expect(await fleet.stats()).toMatchObject({ turns: { parked: 0 } });
  });

  it('[F-8, F-35] comes from a worker that was killed: an answer that it could not deliver reaches the agent elsewhere', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const turn = await fleet.submit({ key: 'ann', prompt: 'ask' });
    await using victim = startWorkerProcess({ database, schema, name: 'victim', limits: dying, slots: 1 });
    for await (const item of turn.follow()) if (item.kind === 'permission-requested') break;
    // Stored a moment after the request: from then on, the approval survives its worker.
    const isStored = `select parked is not null as stored from ${schema}.approval`;
    await expect.poll(() => sql(database, isStored), { timeout: 20_000 }).toEqual([{ stored: true }]);
    victim.child.kill('SIGKILL');
    await victim.exited;
    const [approval] = await fleet.approvals();
    await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    await using _next = startWorkerProcess({ database, schema, name: 'next', limits: takingOver, slots: 1 });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did ask' });
    const kinds = (await fleet.audit({ approval: approval?.id })).map(({ kind }) => kind);
    expect(kinds).toEqual(['requested', 'answered', 'delivered']);
  });

  it('[F-8, F-35] survives workers that die while they resume it; one that dies after the agent has the answer interrupts it', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const hire = (name: string, more: { dieAt?: { step: string; nth: number } } = {}): WorkerProcess =>
      startWorkerProcess({ database, schema, name, limits: dying, slots: 1, ...more });
    const turn = await fleet.submit({ key: 'ann', prompt: 'ask hang' });
    await using first = hire('first');
    await expect.poll(() => fleet.approvals(), { timeout: 20_000 }).toHaveLength(1);
    first.child.kill('SIGTERM');
    await first.exited;
    const [approval] = await fleet.approvals();
    expect(approval?.parkedAt).not.toBeNull();
    await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    await using second = hire('second', { dieAt: { step: 'claimed', nth: 1 } });
    await second.exited;
    await using third = hire('third');
    // The agent has the answer, and hangs after the call.
    for await (const item of turn.follow()) if (item.kind === 'permission-answered') break;
    third.child.kill('SIGKILL');
    await using _fourth = startWorkerProcess({ database, schema, name: 'fourth', limits: takingOver, slots: 1 });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
    expect(await fleet.approvals({ state: 'answered' })).toMatchObject([{ id: approval?.id, by: 'bob' }]);
    const kinds = (await fleet.audit({ approval: approval?.id })).map(({ kind }) => kind);
    expect(kinds).toEqual(['requested', 'answered', 'delivered']);
  });

  it('[F-35] saves its files before it is parked; if that fails, so does the turn, and its approval is void', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const saved: string[] = [];
    const agent = scriptedAgent(
      (said) => said.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built'),
      {
        parkAfterMs: 0,
        workspace: {
          prepare: async () => ({ cwd: '/tmp' }),
          save: async ({ key }, { kind }) => {
            saved.push(`${key} ${kind}`);
            if (key === 'full' && kind === 'parked') throw new Error('The disk is full.');
          },
        },
      },
    );
    await using _worker = await startWorker({ database, schema, limits, agent });
    const full = await fleet.submit({ key: 'full', prompt: 'build' });
    expect((await full.outcome()).outcome).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('The disk is full.'),
    });
    expect(await fleet.approvals({ state: 'void' })).toHaveLength(1);
    const kept = await fleet.submit({ key: 'kept', prompt: 'build' });
    await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
    const [approval] = await fleet.approvals();
    await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    expect((await kept.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    expect(saved).toEqual(['full parked', 'kept parked', 'kept completed']);
  });

  it('[F-35] does not run the other calls of the message that waited, and the model reads that', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const ask = { name: 'Bash', result: 'made', permission: 'ask' } as const;
    const calls = ['one', 'two'].map((command) => ({ ...ask, input: { command } }));
    const agent = scriptedAgent((said) => said.useTools(calls).say('built'), { parkAfterMs: 0 });
    await using _worker = await startWorker({ database, schema, limits, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
    const [approval] = await fleet.approvals();
    await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    expect(await fleet.audit({ kind: 'requested' })).toHaveLength(1);
    const results = JSON.stringify(await fleet.transcript('ann')).match(/No result: the turn was parked|"made"/g);
    expect(new Set(results)).toEqual(new Set(['No result: the turn was parked', '"made"']));
  });

  it('[F-7, F-9] leaves no partial messages when it is cancelled', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const build = script().otherwise((said) =>
      said.say('hello').useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }),
    );
    const agent = defineAgent({
      parkAfterMs: 0,
      options: () => ({
        transport: inMemoryCli(build).transport,
        includePartialMessages: true,
        canUseTool: () => decideLater(),
      }),
    });
    await using _worker = await startWorker({ database, schema, limits, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    const partials = (): Promise<unknown[]> => sql(database, `select 1 from ${schema}.event where kind = 'partial'`);
    await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
    expect(await partials()).not.toEqual([]);
    await fleet.cancel(turn.id, { by: 'ann' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'cancel' });
    expect(await partials()).toEqual([]);
  });

  it.each(['null', `'null'`, `'{}'`])(
    '[F-35] ends as failed if what is stored to resume it was changed to %s',
    async (stored) => {
      const { database, schema } = await testDatabase();
      await using fleet = await openFleet({ database, schema, limits });
      const agent = scriptedAgent(
        (said) => said.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }),
        { parkAfterMs: 0 },
      );
      await using _worker = await startWorker({ database, schema, limits, agent });
      const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
      await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
      await sql(database, `update ${schema}.approval set parked = ${stored}, state = 'expired'`);
      expect((await turn.outcome()).outcome).toMatchObject({ kind: 'failed', error: { code: 'options' } });
      expect(await fleet.approvals({ state: 'expired' })).toHaveLength(1);
    },
  );
});
