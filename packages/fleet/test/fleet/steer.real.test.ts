import { type Fleet, type FleetTurn, openFleet, startWorker } from '@coxswain/fleet';
import { type InMemoryCli, inMemoryCli, script } from '@coxswain/testkit';
import { allow } from 'coxswain';
import { expect, it } from 'vitest';
import { dying, quick as limits, takingOver } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

/** A turn that waits until `go()` is called, on a worker of this process. */
interface Held extends AsyncDisposable {
  readonly database: string;
  readonly schema: string;
  readonly fleet: Fleet;
  readonly turn: FleetTurn;
  readonly cli: InMemoryCli;
  readonly go: () => void;
}

async function held(): Promise<Held> {
  const place = await testDatabase();
  const fleet = await openFleet({ ...place, limits });
  const cli = inMemoryCli(
    script()
      .onPrompt('build', (turn) => turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }))
      .otherwise((turn) => turn.say('more')),
  );
  let go = (): void => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const agent = { options: () => ({ transport: cli.transport, canUseTool: () => gone.then(() => allow()) }) };
  const worker = await startWorker({ ...place, limits, agent, slots: 1 });
  const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
  for await (const item of turn.follow()) if (item.kind === 'message' && item.message.type === 'assistant') break;
  const end = async (): Promise<void> => {
    go();
    await worker.stop();
    await fleet.close();
  };
  return { ...place, fleet, turn, cli, go, [Symbol.asyncDispose]: end };
}

it('[F-38] adds to a running turn once, in order, and shows it to those who follow', async () => {
  await using h = await held();
  const { fleet, turn, cli, go } = h;
  const next = await fleet.submit({ key: 'ann', prompt: 'later' });
  expect(await fleet.steer(next.id, 'no')).toBe('not-running');
  expect(await fleet.steer(turn.id, 'also the tests', { by: 'bob', id: 's1' })).toBe('accepted');
  expect(await fleet.steer(turn.id, 'also the tests', { by: 'bob', id: 's1' })).toBe('accepted');
  expect(await fleet.steer(turn.id, [{ type: 'text', text: 'and the docs' }], { by: 'cyd' })).toBe('accepted');
  await expect.poll(async () => (await fleet.steers(turn.id)).every(({ passedAt }) => passedAt !== null)).toBe(true);
  go();
  expect((await turn.outcome()).outcome.kind).toBe('completed');
  expect(cli.runs()[0]?.prompts).toEqual(['build', 'also the tests', 'and the docs']);
  expect(await fleet.steers(turn.id)).toMatchObject([
    { id: 's1', content: 'also the tests', by: 'bob', missed: false, passedAt: expect.any(Number) },
    { by: 'cyd', missed: false },
  ]);
  const items: unknown[] = [];
  for await (const item of turn.follow()) if (item.kind === 'steered') items.push(item);
  expect(items).toMatchObject([
    { steer: 's1', content: 'also the tests', by: 'bob' },
    { content: [{ text: 'and the docs' }], by: 'cyd' },
  ]);
  expect(await fleet.steer(turn.id, 'too late')).toBe('too-late');
  expect(await fleet.steers(turn.id)).toHaveLength(2);
});

it('[F-38] refuses wrong input, an id of another turn, and more than 100 additions', async () => {
  await using h = await held();
  const { fleet, turn } = h;
  await expect(fleet.steer('none', 'x')).rejects.toMatchObject({ name: 'NotInFleetError' });
  await expect(fleet.steers('none')).rejects.toMatchObject({ name: 'NotInFleetError' });
  const wrong: readonly [unknown, unknown][] = [
    ['', {}],
    [7, {}],
    [[{}], {}],
    ['x', { from: 'ann' }],
    ['x', { by: '' }],
    ['x', { id: 'a\0' }],
  ];
  for (const [content, options] of wrong)
    await expect(Reflect.apply(fleet.steer, fleet, [turn.id, content, options])).rejects.toMatchObject({
      name: 'FleetInputError',
    });
  expect(await fleet.steers(turn.id)).toEqual([]);
  await sql(
    h.database,
    `insert into ${h.schema}.steer (id, turn, content, by, passed_at) select 'x' || n, '${turn.id}', '"x"', 'ann', now() from generate_series(1, 100) n`,
  );
  await expect(fleet.steer(turn.id, 'one more')).rejects.toThrow('100');
  expect(await fleet.steer(turn.id, 'x', { id: 'x1' })).toBe('accepted');
});

it('[F-38] gives a turn that is sent again its additions again', async () => {
  const place = await testDatabase();
  await using fleet = await openFleet({ ...place, limits });
  const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
  await using victim = startWorkerProcess({
    ...place,
    name: 'victim',
    limits: dying,
    slots: 1,
    replay: 'always',
    workMs: 60_000,
  });
  await expect.poll(async () => (await turn.info()).state, { timeout: 30_000 }).toBe('sent');
  await fleet.steer(turn.id, 'more');
  await expect.poll(async () => (await fleet.steers(turn.id))[0]?.passedAt ?? null).not.toBe(null);
  process.kill(victim.pid, 'SIGKILL');
  await victim.exited;
  const cli = inMemoryCli(
    script()
      .onPrompt('one', (play) => play.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }))
      .otherwise((play) => play.say('more')),
  );
  const passed = async (): Promise<boolean> => (await fleet.steers(turn.id))[0]?.passedAt !== null;
  const canUseTool = async (): Promise<ReturnType<typeof allow>> => {
    await expect.poll(passed).toBe(true);
    return allow();
  };
  const agent = { replay: () => true, options: () => ({ transport: cli.transport, canUseTool }) };
  await using _other = await startWorker({ ...place, limits: takingOver, agent });
  expect((await turn.outcome()).outcome.kind).toBe('completed');
  expect(cli.runs()[0]?.prompts).toEqual(['one', 'more']);
});
