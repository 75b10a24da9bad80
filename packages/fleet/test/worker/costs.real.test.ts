import { defineAgent, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { allow, decideLater } from 'coxswain';
import { expect, it } from 'vitest';
import { dying, quick, scriptedAgent, takingOver } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

it('[F-26] the cost of a turn is kept if its worker dies after the result, and counts for the tenant and its quota', async () => {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits: quick });
  await fleet.setQuota('acme', { maxUsdPerDay: 0.01 });
  const lost = await fleet.submit({ key: 'ann', prompt: 'one', tenant: 'acme' });
  await using victim = startWorkerProcess({
    database,
    schema,
    name: 'dying',
    limits: dying,
    slots: 1,
    dieAt: { step: 'committing', nth: 1 },
  });
  await victim.exited;
  await using _other = await startWorker({ database, schema, limits: takingOver, agent: scriptedAgent() });
  const { outcome, costUsd, cost } = await lost.outcome();
  expect(outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
  expect(costUsd).toBe(0.01);
  expect(cost?.costUsd).toBe(0.01);
  expect(await fleet.spend({ tenant: 'acme' })).toMatchObject([{ usd: 0.01, turns: 1 }]);
  expect(await fleet.conversations({ tenant: 'acme' })).toMatchObject([{ costUsd: 0.01 }]);
  const next = await fleet.submit({ key: 'ann', prompt: 'two', tenant: 'acme' });
  await expect.poll(async () => (await fleet.stats()).heldBack).toMatchObject([{ tenant: 'acme', waiting: 1 }]);
  expect(await next.info()).toMatchObject({ state: 'waiting' });
});

it('[F-26] a turn that is sent again costs what all its attempts cost: for itself, its conversation and its tenant', async () => {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits: quick });
  const turn = await fleet.submit({ key: 'ann', prompt: 'one', tenant: 'acme' });
  const victim = { database, schema, limits: dying, slots: 1, replay: 'always' } as const;
  for (const step of ['committing', 'answering']) {
    await using dead = startWorkerProcess({ ...victim, name: `dies at ${step}`, dieAt: { step, nth: 1 } });
    await dead.exited;
  }
  await using _last = startWorkerProcess({ ...victim, name: 'last' });
  const { outcome, costUsd, cost } = await turn.outcome();
  expect(outcome).toMatchObject({ kind: 'completed' });
  // The second attempt had not reported what it cost.
  expect([costUsd, cost?.costUsd, cost?.complete]).toEqual([0.02, 0.02, false]);
  expect(await turn.info()).toMatchObject({ attempt: 3, costUsd: 0.02 });
  expect(await fleet.spend({ tenant: 'acme' })).toMatchObject([{ usd: 0.02, turns: 1 }]);
  expect(await fleet.conversations({ tenant: 'acme' })).toMatchObject([{ costUsd: 0.02 }]);
});

it('[F-26] a cost that no sum can hold is limited: the turn and the other turns of its tenant end normally', async () => {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits: quick });
  const agent = scriptedAgent((turn) => turn.say('ok').result({ costUsd: 1.7e308 }));
  await using _worker = await startWorker({ database, schema, limits: quick, agent });
  for (const prompt of ['one', 'two', 'three']) {
    const turn = await fleet.submit({ key: 'ann', prompt, tenant: 'acme' });
    const { outcome, costUsd } = await turn.outcome({ signal: AbortSignal.timeout(10_000) });
    expect({ kind: outcome.kind, costUsd }).toEqual({ kind: 'completed', costUsd: 1e9 });
  }
  expect(await fleet.spend({ tenant: 'acme' })).toMatchObject([{ usd: 3e9, turns: 3 }]);
});

it('[F-26, F-35] what a turn has cost until it is parked counts for its tenant at once, and for the turn and its conversation, once', async () => {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits: quick });
  const spent = { session: { total_cost_usd: 0.25, model_usage: {} } };
  const agent = defineAgent({
    parkAfterMs: 0,
    options: () => ({
      transport: inMemoryCli(
        script()
          .onRequest('get_usage', { response: spent })
          .otherwise((turn) =>
            turn.useTool('Bash', { command: 'make' }, { permission: 'ask' }).say('made').result({ costUsd: 0.5 }),
          ),
      ).transport,
      canUseTool: () => decideLater(),
    }),
  });
  await using _worker = await startWorker({ database, schema, limits: quick, agent });
  const turn = await fleet.submit({ key: 'ann', prompt: 'build', tenant: 'acme' });
  await expect.poll(() => turn.info(), { timeout: 20_000 }).toMatchObject({ state: 'parked', costUsd: 0.25 });
  expect(await fleet.spend({ tenant: 'acme' })).toMatchObject([{ usd: 0.25, turns: 0 }]);
  for (const { id, hash } of await fleet.approvals()) await fleet.answer(id, allow(), { by: 'bob', hash });
  const { costUsd, cost } = await turn.outcome();
  expect([costUsd, cost?.costUsd, cost?.complete]).toEqual([0.75, 0.75, true]);
  expect(await turn.info()).toMatchObject({ costUsd: 0.75 });
  expect(await fleet.spend({ tenant: 'acme' })).toMatchObject([{ usd: 0.75, turns: 1 }]);
  expect(await fleet.conversations({ tenant: 'acme' })).toMatchObject([{ costUsd: 0.75 }]);
});

it('[F-10, F-35] the budget of a turn is for all its runs: what it cost until it was parked is subtracted when it is resumed', async () => {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits: quick });
  // A turn that is resumed does not need its whole budget again.
  await fleet.setQuota('acme', { maxUsdPerDay: 1.1 });
  const budgets: (string | undefined)[] = [];
  const spent = { session: { total_cost_usd: 0.25, model_usage: {} } };
  const play = script()
    .onRequest('get_usage', { response: spent })
    .otherwise((turn) => turn.useTool('Bash', { command: 'make' }, { permission: 'ask' }).say('made'));
  const agent = defineAgent({
    parkAfterMs: 0,
    options: () => ({
      maxBudgetUsd: 1,
      canUseTool: () => decideLater(),
      transport: () => {
        const cli = inMemoryCli(play).transport();
        const start = cli.start.bind(cli);
        cli.start = (request) => {
          budgets.push(request.argv[request.argv.indexOf('--max-budget-usd') + 1]);
          return start(request);
        };
        return cli;
      },
    }),
  });
  await using _worker = await startWorker({ database, schema, limits: quick, agent });
  const turn = await fleet.submit({ key: 'ann', prompt: 'build', tenant: 'acme' });
  await expect.poll(() => turn.info(), { timeout: 20_000 }).toMatchObject({ state: 'parked', costUsd: 0.25 });
  for (const { id, hash } of await fleet.approvals()) await fleet.answer(id, allow(), { by: 'bob', hash });
  expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed' });
  expect(budgets).toEqual(['1', '0.75']);
});

it('[F-10] turns with a budget never spend more than maxUsdPerDay, however many workers claim them at once', async () => {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits: quick });
  await fleet.setQuota('acme', { maxUsdPerDay: 1 });
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const agent = {
    options: async ({ prompt }: { prompt: unknown }) => ({
      maxBudgetUsd: Number(prompt),
      transport: inMemoryCli(
        script().otherwise((turn) =>
          turn.say('ok').useTool('Wait', {}, { permission: 'ask' }).result({ costUsd: 0.3 }),
        ),
      ).transport,
      canUseTool: async () => {
        await opened;
        return { decision: 'allow' } as const;
      },
    }),
  };
  const start = (): ReturnType<typeof startWorker> => startWorker({ database, schema, limits: quick, slots: 4, agent });
  await using _first = await start();
  await using _second = await start();
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  const turns = await Promise.all(keys.map((key) => fleet.submit({ key, prompt: '0.4', tenant: 'acme' })));
  await expect
    .poll(async () => fleet.quotas())
    .toMatchObject([{ running: 2, waiting: 4, usdReserved: 0.8, usdToday: 0, reached: 'maxUsdPerDay' }]);
  open();
  // Each costs 0.3: after two (0.6) the budget of one more fits, then none.
  await expect
    .poll(async () => fleet.quotas())
    .toMatchObject([
      { running: 0, waiting: 3, usdReserved: 0, usdToday: expect.closeTo(0.9), reached: 'maxUsdPerDay' },
    ]);
  const states = await Promise.all(turns.map(async (turn) => (await turn.info()).attempt));
  expect(states.sort()).toEqual([0, 0, 0, 1, 1, 1]);
});

it('[F-10] a budget larger than maxUsdPerDay is lowered to it and passed to the CLI', async () => {
  const { database, schema } = await testDatabase();
  await using fleet = await openFleet({ database, schema, limits: quick });
  await fleet.setQuota('acme', { maxUsdPerDay: 1 });
  const started: (readonly string[])[] = [];
  await using _worker = await startWorker({
    database,
    schema,
    limits: quick,
    agent: {
      options: () => {
        const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('ok')));
        const noting: typeof transport = () => {
          const cli = transport();
          const start = cli.start.bind(cli);
          cli.start = (request) => {
            started.push(request.argv);
            return start(request);
          };
          return cli;
        };
        return { transport: noting, maxBudgetUsd: 5 };
      },
    },
  });
  const turn = await fleet.submit({ key: 'ann', prompt: 'one', tenant: 'acme' });
  expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed' });
  expect(started[0]).toContain('--max-budget-usd');
  expect(started[0]?.[started[0].indexOf('--max-budget-usd') + 1]).toBe('1');
});
