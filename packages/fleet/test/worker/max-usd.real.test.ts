import { type FleetAgent, type FleetAgentOptions, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { dying, quick as limits, takingOver } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

/** An agent whose turns cost what their prompts say; notes the budgets that the CLI gets. */
function spendingAgent(options: Partial<FleetAgentOptions> = {}): FleetAgent & { readonly budgets: unknown[] } {
  const budgets: unknown[] = [];
  return {
    budgets,
    options: ({ prompt }) => {
      const play = script().otherwise((turn) => turn.say('ok').result({ costUsd: Number(prompt) }));
      return {
        ...options,
        transport: () => {
          const cli = inMemoryCli(play).transport();
          const start = cli.start.bind(cli);
          cli.start = (request) => {
            const at = request.argv.indexOf('--max-budget-usd');
            budgets.push(at === -1 ? undefined : Number(request.argv[at + 1]));
            return start(request);
          };
          return cli;
        },
      };
    },
  };
}

/** An agent whose turns wait until `open()` is called, and then cost `costUsd`. */
function heldAgent(costUsd: number): { readonly agent: FleetAgent; open(): void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const play = script().otherwise((turn) =>
    turn.say('ok').useTool('Wait', {}, { permission: 'ask' }).result({ costUsd }),
  );
  const options: FleetAgent['options'] = () => ({
    transport: inMemoryCli(play).transport,
    canUseTool: async () => {
      await opened;
      return { decision: 'allow' };
    },
  });
  return { agent: { options }, open: () => open() };
}

it('[F-43] the lowest of the limits of turn, tenant and agent is what the CLI gets', async () => {
  const place = await testDatabase();
  await using fleet = await openFleet({ ...place, limits });
  const { budgets, ...agent } = spendingAgent({ maxBudgetUsd: 3 });
  await using _worker = await startWorker({ ...place, limits, agent });
  const run = async (maxUsdPerTurn?: number): Promise<void> => {
    const turn = await fleet.submit({ key: 'ann', prompt: '0.1', tenant: 'acme', maxUsdPerTurn });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
  };
  await run();
  await run(2);
  await fleet.setQuota('acme', { maxUsdPerTurn: 1 });
  await run(2);
  await run(0.5);
  await fleet.setQuota('acme', { maxUsdPerTurn: 9 });
  await run();
  expect(budgets).toEqual([3, 2, 1, 0.5, 3]);
});

it('[F-43, F-37] a process without a budget does not run a turn that has one', async () => {
  const place = await testDatabase();
  await using fleet = await openFleet({ ...place, limits });
  const cli = inMemoryCli(script().otherwise((turn) => turn.say('ok')));
  const agent = { options: () => ({ transport: cli.transport }) };
  await using worker = await startWorker({ ...place, limits, agent, keepWarmMs: 60_000, prewarm: 1 });
  for (const maxUsdPerTurn of [undefined, undefined, 1, undefined]) {
    const turn = await fleet.submit({ key: 'ann', prompt: 'x', maxUsdPerTurn });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
  }
  expect(worker.health().turnsReused).toBe(1);
});

it('[F-43] the last turn of a day gets what is left of it, and the next one waits', async () => {
  const place = await testDatabase();
  await using fleet = await openFleet({ ...place, limits });
  await fleet.setQuota('acme', { maxUsdPerDay: 1, maxUsdPerTurn: 0.4 });
  const { budgets, ...agent } = spendingAgent();
  await using _worker = await startWorker({ ...place, limits, agent });
  for (const prompt of ['0.35', '0.35', '0.3']) {
    const turn = await fleet.submit({ key: 'ann', prompt, tenant: 'acme' });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
  }
  expect(budgets).toEqual([0.4, 0.4, expect.closeTo(0.3)]);
  const waiting = await fleet.submit({ key: 'bob', prompt: '0.1', tenant: 'acme' });
  await expect
    .poll(async () => (await fleet.stats()).heldBack, { timeout: 20_000 })
    .toMatchObject([{ tenant: 'acme', maxUsdPerTurn: 0.4 }]);
  expect(await waiting.info()).toMatchObject({ state: 'waiting', attempt: 0 });
});

it('[F-10] turns without a budget run at the same time while anything is left of the day', async () => {
  const place = await testDatabase();
  await using fleet = await openFleet({ ...place, limits });
  await fleet.setQuota('acme', { maxUsdPerDay: 1 });
  const { agent, open } = heldAgent(0);
  await using _worker = await startWorker({ ...place, limits, slots: 4, agent });
  // The worker must end, also if an expectation below fails.
  await using _end = { [Symbol.asyncDispose]: async () => open() };
  for (const key of ['a', 'b', 'c']) await fleet.submit({ key, prompt: 'x', tenant: 'acme' });
  await expect
    .poll(() => fleet.quotas(), { timeout: 20_000 })
    .toMatchObject([{ running: 3, waiting: 0, usdReserved: 0, reached: null }]);
});

it('[F-43] turns that two workers start at once never reserve and cost more than the day together', async () => {
  const place = await testDatabase();
  await using fleet = await openFleet({ ...place, limits });
  await fleet.setQuota('acme', { maxUsdPerDay: 1 });
  const { agent, open } = heldAgent(0.3);
  await using _one = await startWorker({ ...place, limits, slots: 4, agent });
  await using _two = await startWorker({ ...place, limits, slots: 4, agent });
  // The workers must end, also if an expectation below fails.
  await using _end = { [Symbol.asyncDispose]: async () => open() };
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const key of keys) await fleet.submit({ key, prompt: 'x', tenant: 'acme', maxUsdPerTurn: 0.4 });
  // The third would get 0.2 now, and 0.4 when another one has ended.
  await expect
    .poll(() => fleet.quotas(), { timeout: 20_000 })
    .toMatchObject([{ running: 2, usdReserved: 0.8, reached: 'maxUsdPerDay' }]);
  const reserved = async (): Promise<unknown> =>
    (await fleet.turns({ state: 'sent' })).map(({ reservedUsd }) => reservedUsd);
  await expect.poll(reserved, { timeout: 20_000 }).toEqual([0.4, 0.4]);
  open();
  await expect
    .poll(() => fleet.quotas(), { timeout: 20_000 })
    // The fourth gets what is left, 0.1, and costs more, because this agent ignores its budget.
    .toMatchObject([
      { running: 0, waiting: 2, usdReserved: 0, usdToday: expect.closeTo(1.2), reached: 'maxUsdPerDay' },
    ]);
});

it('[F-43, F-4] what a worker reserved before it was killed is free when its turn is taken over', async () => {
  const place = await testDatabase();
  await using fleet = await openFleet({ ...place, limits });
  await fleet.setQuota('acme', { maxUsdPerDay: 1, maxUsdPerTurn: 0.8 });
  const turn = await fleet.submit({ key: 'ann', prompt: '0.1', tenant: 'acme' });
  // The reservation is stored, and the prompt is sent next.
  await using victim = startWorkerProcess({
    ...place,
    name: 'victim',
    limits: dying,
    slots: 1,
    stopAt: { step: 'sent', nth: 1 },
  });
  await victim.line('stopping');
  expect(await fleet.quotas()).toMatchObject([{ running: 1, usdReserved: 0.8 }]);
  victim.child.kill('SIGKILL');
  const { budgets, ...agent } = spendingAgent();
  await using _other = await startWorker({ ...place, limits: takingOver, agent: { ...agent, replay: () => true } });
  expect((await turn.outcome()).outcome.kind).toBe('completed');
  expect(budgets).toEqual([0.8]);
  expect(await fleet.quotas()).toMatchObject([{ running: 0, usdReserved: 0, usdToday: 0.1 }]);
});
