import { setTimeout as delay } from 'node:timers/promises';
import { type Approval, defineAgent, type Fleet, type FleetAgent, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { allow, decideLater } from 'coxswain';
import { expect, it } from 'vitest';
import { quick, scriptedAgent } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

const play = script().otherwise((turn) =>
  turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built'),
);
const asking: FleetAgent = scriptedAgent(
  (turn) => turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built'),
  { parkAfterMs: 0 },
);

/** An agent of which one function does not return when it is called first; `called` resolves then. */
function slowAgent(slow: 'data' | 'options'): { readonly agent: FleetAgent; readonly called: Promise<void> } {
  let call = (): void => {};
  const called = new Promise<void>((resolve) => {
    call = resolve;
  });
  const calls = { data: 0, options: 0 };
  const reached = async (name: 'data' | 'options'): Promise<void> => {
    calls[name] += 1;
    if (name !== slow || calls[name] > 1) return;
    call();
    await new Promise(() => {});
  };
  const validate = async (value: unknown): Promise<{ value: unknown }> => {
    await reached('data');
    return { value };
  };
  const agent = defineAgent({
    parkAfterMs: 0,
    data: { '~standard': { version: 1, vendor: 'test', validate } },
    options: async () => {
      await reached('options');
      return { transport: inMemoryCli(play).transport, canUseTool: () => decideLater() };
    },
  });
  return { agent, called };
}

/** Parks a turn on a worker that then leaves, and answers it. */
async function answered(
  fleet: Fleet,
  place: { readonly database: string; readonly schema: string },
): Promise<Approval> {
  const worker = await startWorker({ ...place, limits: quick, agent: asking });
  await fleet.submit({ key: 'ann', prompt: 'build', id: 'asking' });
  await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
  await worker.stop();
  const [approval] = await fleet.approvals();
  if (approval === undefined) throw new Error('There is no approval.');
  await fleet.answer(approval.id, allow(), { by: 'bob', hash: approval.hash });
  return approval;
}

it.each(['data', 'options'] as const)(
  '[F-8, F-11, F-35] a drain during %s() of the agent that resumes a turn leaves the answer to another worker',
  async (slow) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits: quick });
    await answered(fleet, place);
    const { agent, called } = slowAgent(slow);
    const worker = await startWorker({ ...place, limits: quick, agent });
    await called;
    await worker.stop();
    expect(await fleet.turns({ state: 'parked' })).toHaveLength(1);
    await using _other = await startWorker({ ...place, limits: quick, agent });
    const turn = await fleet.turn('asking');
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    expect(await fleet.approvals({ state: 'answered' })).toHaveLength(1);
  },
);

it.each(['data', 'options'] as const)(
  '[F-8, F-19, F-35] an outage during %s() of the agent that resumes a turn leaves the answer for later',
  async (slow) => {
    const place = await testDatabase();
    await using wire = await databaseProxy(place.database);
    await using fleet = await openFleet({ ...place, limits: quick });
    await answered(fleet, place);
    const { agent, called } = slowAgent(slow);
    const limits = { ...quick, leaseMs: 1_500 };
    await using _worker = await startWorker({ database: wire.url, schema: place.schema, limits, agent });
    await called;
    wire.freeze();
    // The lease ends, and with it the run.
    await delay(limits.leaseMs);
    wire.thaw();
    const turn = await fleet.turn('asking');
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    expect(await fleet.approvals({ state: 'answered' })).toHaveLength(1);
  },
);

it('[F-8, F-19, F-35] an outage while an approval is stored parks the turn', async () => {
  const place = await testDatabase();
  await using wire = await databaseProxy(place.database);
  await using fleet = await openFleet({ ...place, limits: quick });
  const limits = { ...quick, leaseMs: 1_500 };
  let asked = (): void => {};
  const asking = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const options = (): object => ({
    transport: inMemoryCli(play).transport,
    canUseTool: () => {
      wire.freeze();
      asked();
      return decideLater();
    },
  });
  const agent = defineAgent({ parkAfterMs: Number.POSITIVE_INFINITY, options });
  await using _worker = await startWorker({ database: wire.url, schema: place.schema, limits, agent });
  const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
  await asking;
  // The lease ends, and with it the run.
  await delay(limits.leaseMs);
  wire.thaw();
  await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
  const [approval] = await fleet.approvals();
  await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
  expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
});
