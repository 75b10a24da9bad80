import { type FleetTurn, openFleet, startWorker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { dying, quick as limits, scriptedAgent, takingOver } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

/** Resolves when the turn waits for an approval. */
async function isAsking(turn: FleetTurn): Promise<void> {
  for await (const item of turn.follow()) if (item.kind === 'permission-requested') return;
}

describe.concurrent('an agent whose code would end the process of its worker', () => {
  it.each(['options', 'prepare', 'permission', 'hook', 'save'])(
    '[F-27] in %s: process.exit(), an unhandled rejection and an uncaught exception end their turn only; a neighbour completes',
    async (where) => {
      const { database, schema } = await testDatabase();
      await using fleet = await openFleet({ database, schema, limits });
      await using worker = startWorkerProcess({ database, schema, name: 'host', limits, slots: 8 });
      const neighbour = await fleet.submit({ key: 'ann', prompt: 'ask' });
      await isAsking(neighbour);
      for (const what of ['exit', 'swallowed', 'rejection', 'oddity', 'exception']) {
        const turn = await fleet.submit({ key: `${what}`, prompt: `poison ${what} ${where}` });
        const { outcome } = await turn.outcome();
        // A finished turn stays completed, unless its files could not be saved.
        const kind = where === 'save' && what !== 'exit' ? 'completed' : 'failed';
        expect({ what, kind: outcome.kind }).toEqual({ what, kind });
        if (outcome.kind === 'failed') expect(outcome.error.code).toBe('agent-function');
        if (outcome.kind === 'failed') expect(outcome.message).toMatch(/process\.exit\(3\)|bad luck|no text/);
        expect((await turn.info()).attempt).toBe(1);
        await worker.line('error AgentFunctionError');
      }
      const [approval] = await fleet.approvals();
      await fleet.answer(approval?.id ?? '', allow(), { by: 'ann', hash: approval?.hash ?? '' });
      expect((await neighbour.outcome()).outcome).toMatchObject({ kind: 'completed' });
      expect((await neighbour.info()).attempt).toBe(1);
    },
  );

  it('[F-27] after the end of its turn: leftover timers and promises are reported, and end neither the worker nor a neighbour', async ({
    expect,
  }) => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using worker = startWorkerProcess({ database, schema, name: 'host', limits, slots: 8 });
    const neighbour = await fleet.submit({ key: 'ann', prompt: 'ask' });
    await isAsking(neighbour);
    for (const what of ['exit', 'rejection', 'exception']) {
      const turn = await fleet.submit({ key: what, prompt: `poison ${what} late options` });
      expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed' });
    }
    worker.child.kill('SIGHUP');
    for (const what of ['called process.exit(3)', 'rejected a promise', 'threw an exception'])
      await worker.line(`error AgentFunctionError: The function options of the agent ${what}`);
    const [approval] = await fleet.approvals();
    await fleet.answer(approval?.id ?? '', allow(), { by: 'ann', hash: approval?.hash ?? '' });
    expect((await neighbour.outcome()).outcome).toMatchObject({ kind: 'completed' });
    expect((await neighbour.info()).attempt).toBe(1);
  });

  it('[F-27] a failure that belongs to no turn ends the worker in order: finished turns are committed, one that asks is parked, no prompt is sent twice', async ({
    expect,
  }) => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using worker = startWorkerProcess({ database, schema, name: 'host', limits: dying, slots: 8 });
    const finished = await fleet.submit({ key: 'ann', prompt: 'save late' });
    const sent = await fleet.submit({ key: 'bob', prompt: 'ask' });
    const unsent = await fleet.submit({ key: 'cid', prompt: 'prepare for ever' });
    await worker.line('saving');
    await isAsking(sent);
    await expect.poll(async () => (await unsent.info()).state).toBe('claimed');
    worker.child.kill('SIGUSR2');
    await worker.exited;
    expect(worker.child.exitCode).toBe(1);
    // No other worker had started yet.
    expect(await finished.info()).toMatchObject({ outcome: { kind: 'completed' }, attempt: 1 });
    await using _other = await startWorker({ database, schema, limits: takingOver, agent: scriptedAgent() });
    await expect.poll(() => sent.info(), { timeout: 30_000 }).toMatchObject({ state: 'parked' });
    // The turn may have been the cause, so the attempt counts.
    expect((await unsent.outcome()).outcome).toMatchObject({ kind: 'completed' });
    expect((await unsent.info()).attempt).toBe(2);
  });
});
