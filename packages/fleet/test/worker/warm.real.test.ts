import {
  type EndedTurn,
  type Fleet,
  type FleetAgent,
  type FleetAgentOptions,
  openFleet,
  startWorker,
  type Worker,
  type WorkerOptions,
} from '@coxswain/fleet';
import { type InMemoryCli, inMemoryCli, script } from '@coxswain/testkit';
import { allow, decideLater, textOf } from 'coxswain';
import { describe, it } from 'vitest';
import { quick as limits } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

/** A scripted CLI that all turns of a worker share, so that one process can run several of them. */
function newCli(): InMemoryCli {
  return inMemoryCli(
    script()
      .onPrompt('background', (turn) => turn.runInBackground('sleep 60', {}).say('started'))
      .onPrompt('ask', (turn) =>
        turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('made'),
      )
      .onPrompt('hang', (turn) => turn.say('I hang.').silence())
      .onPrompt('late', (turn) => turn.say('in time').result().say('too late'))
      .onPrompt('afterwards', (turn) => turn.say('in time').result().wait(300).say('too late'))
      .onPrompt('crash', (turn) => turn.say('done').result().crash())
      .onPrompt('limited', (turn) => turn.maxTurns())
      .otherwise((turn) => turn.say('done').result({ costUsd: 0.01 })),
  );
}

/** The prompts that each process received. */
const promptsOf = (cli: InMemoryCli): string[][] => cli.runs().map(({ prompts }) => prompts.map(String));

/** An agent whose functions are new ones for each turn. */
function agentOf(
  cli: InMemoryCli,
  more: (n: number) => FleetAgentOptions = () => ({}),
  agent: Partial<FleetAgent> = {},
): FleetAgent {
  let n = 0;
  return {
    ...agent,
    options: () => {
      n += 1;
      return { transport: cli.transport, canUseTool: () => decideLater(), hooks: { PreToolUse: () => {} }, ...more(n) };
    },
  };
}

interface World extends AsyncDisposable {
  readonly database: string;
  readonly schema: string;
  readonly fleet: Fleet;
  readonly errors: unknown[];
  hire(agent: FleetAgent, more?: Partial<WorkerOptions>): Promise<Worker>;
  run(prompt: string, key?: string): Promise<EndedTurn>;
}

async function newWorld(): Promise<World> {
  const place = await testDatabase();
  const fleet = await openFleet({ ...place, limits });
  const errors: unknown[] = [];
  return {
    ...place,
    fleet,
    errors,
    hire: (agent, more) =>
      startWorker({ ...place, limits, agent, keepWarmMs: 60_000, onError: (error) => errors.push(error), ...more }),
    run: async (prompt, key = 'ann') => (await fleet.submit({ key, prompt })).outcome(),
    [Symbol.asyncDispose]: () => fleet.close(),
  };
}

/** The texts of the model in a turn. */
async function textsOf({ fleet }: World, prompt: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const item of (await fleet.submit({ key: 'ann', prompt })).follow())
    if (item.kind === 'message' && item.message.type === 'assistant') texts.push(textOf(item.message));
  return texts;
}

describe.concurrent('a worker with spare processes', () => {
  it('[F-37] runs a conversation that begins on a process that was started before, and starts another one', async ({
    expect,
  }) => {
    await using w = await newWorld();
    const cli = newCli();
    const called: number[] = [];
    const agent = agentOf(cli, (n) => ({
      canUseTool: () => {
        called.push(n);
        return allow();
      },
    }));
    await using worker = await w.hire(agent, { prewarm: 2, keepWarmMs: 0 });
    await w.run('one');
    await expect.poll(() => worker.health().spare).toBe(2);
    expect((await w.run('ask two', 'bob')).outcome.kind).toBe('completed');
    // The same conversation again: its transcript is not in the memory of a spare process.
    expect((await w.run('three', 'bob')).outcome.kind).toBe('completed');
    await expect.poll(() => cli.runs().length).toBe(5);
    const resumed = cli.runs().filter(({ argv }) => argv.includes('--resume'));
    expect(resumed.map(({ prompts }) => prompts.map(String))).toEqual([['three']]);
    expect(promptsOf(cli).slice(0, 2)).toEqual([['one'], ['ask two']]);
    expect(called).toEqual([2]);
    expect(worker.health()).toMatchObject({ warm: 0, turnsReused: 1 });
    await worker.drain();
    expect(worker.health().spare).toBe(0);
    expect(cli.runs().every(({ exit }) => exit !== undefined)).toBe(true);
    expect(w.errors).toEqual([]);
  });

  it('[F-37] uses none that was started with other options, and replaces those once two conversations have begun with others', async ({
    expect,
  }) => {
    await using w = await newWorld();
    const cli = newCli();
    const agent = agentOf(cli, (n) => ({ model: n === 1 ? 'haiku' : 'sonnet' }));
    await using worker = await w.hire(agent, { prewarm: 1 });
    const modelOf = (n: number): string | undefined => {
      const argv = cli.runs()[n]?.argv ?? [];
      return argv[argv.indexOf('--model') + 1];
    };
    await w.run('one', 'a');
    await expect.poll(() => worker.health().spare).toBe(1);
    await w.run('two', 'b');
    expect(worker.health().turnsReused).toBe(0);
    expect([0, 1, 2].map(modelOf)).toEqual(['haiku', 'haiku', 'sonnet']);
    expect(cli.runs()[1]?.exit).toBeUndefined();
    await w.run('three', 'c');
    await expect.poll(() => cli.runs().length).toBe(5);
    expect([3, 4].map(modelOf)).toEqual(['sonnet', 'sonnet']);
    await expect.poll(() => cli.runs()[1]?.exit).toBeDefined();
    await w.run('four', 'd');
    expect(worker.health().turnsReused).toBe(1);
    expect(promptsOf(cli)[4]).toEqual(['four']);
  });

  it('[F-37] starts none for turns with a budget, or with hooks for the start', async ({ expect }) => {
    await using w = await newWorld();
    const cli = newCli();
    const agent = agentOf(cli, (n) => (n === 1 ? { maxBudgetUsd: 1 } : { hooks: { SessionStart: () => {} } }));
    await using worker = await w.hire(agent, { prewarm: 1 });
    await w.run('one', 'a');
    await w.run('two', 'b');
    expect(worker.health().spare).toBe(0);
    expect(cli.runs()).toHaveLength(2);
  });
});

describe.concurrent('a worker that keeps its processes', () => {
  it('[F-37] runs the next turn of a conversation on the process of the last one, with its own cost and items', async ({
    expect,
  }) => {
    await using w = await newWorld();
    const cli = newCli();
    await using worker = await w.hire(agentOf(cli));
    const one = await w.run('one');
    expect(worker.health()).toMatchObject({ warm: 1, turnsReused: 0 });
    const two = await w.run('two');
    await w.run('other', 'bob');
    const three = await w.run('three');
    expect(promptsOf(cli)).toEqual([['one', 'two', 'three'], ['other']]);
    expect(worker.health()).toMatchObject({ warm: 2, turnsReused: 2 });
    for (const { outcome } of [one, two, three]) expect(outcome).toMatchObject({ kind: 'completed', text: 'done' });
    expect([one, two, three].map(({ costUsd }) => costUsd)).toEqual([0.01, 0.01, 0.01]);
    expect(w.errors).toEqual([]);
    await worker.check();
    expect((await w.fleet.stats()).workers).toMatchObject([{ warm: 2 }]);
    expect(await w.fleet.metrics()).toContain('coxswain_fleet_warm 2\n');
  });

  it('[F-37] calls the functions that belong to the current turn, and one that fails ends only its own turn', async ({
    expect,
  }) => {
    await using w = await newWorld();
    const cli = newCli();
    const called: string[] = [];
    const agent = agentOf(cli, (n) => ({
      canUseTool: () => {
        called.push(`canUseTool ${n}`);
        if (n === 3) void Promise.reject(new Error('bad luck'));
        return n === 3 ? new Promise(() => {}) : allow();
      },
      hooks: { PreToolUse: [{ matcher: 'Bash', run: () => void called.push(`hook ${n}`) }] },
    }));
    await using _worker = await w.hire(agent);
    for (const prompt of ['ask one', 'ask two']) expect((await w.run(prompt)).outcome.kind).toBe('completed');
    expect(called).toEqual(['hook 1', 'canUseTool 1', 'hook 2', 'canUseTool 2']);
    expect((await w.run('ask three')).outcome).toMatchObject({ kind: 'failed', error: { code: 'agent-function' } });
    expect((await w.run('ask four')).outcome.kind).toBe('completed');
    expect(promptsOf(cli)).toEqual([['ask one', 'ask two', 'ask three'], ['ask four']]);
  });

  it.for<[string, (n: number) => FleetAgentOptions]>([
    ['another model', (n) => ({ model: n === 1 ? 'haiku' : 'sonnet' })],
    ['another environment', (n) => ({ env: { TURN: String(n) } })],
    ['another matcher', (n) => ({ hooks: { PreToolUse: { matcher: `Bash${n}`, run: () => {} } } })],
    ['another object', () => ({ mcpServers: {}, observers: [{ opened: () => {} }] })],
    ['a budget', () => ({ maxBudgetUsd: 1 })],
    ['a hook for the start', () => ({ hooks: { SessionStart: () => {} } })],
    ['permission updates', () => ({ allowPermissionUpdates: true })],
    ['another folder', (n) => ({ cwd: n === 1 ? '/' : '/tmp' })],
  ])('[F-37] starts a new process for a turn with %s', async ([, more], { expect }) => {
    await using w = await newWorld();
    const cli = newCli();
    await using _worker = await w.hire(agentOf(cli, more));
    for (const prompt of ['one', 'two']) expect((await w.run(prompt)).outcome.kind).toBe('completed');
    expect(promptsOf(cli)).toEqual([['one'], ['two']]);
    expect(cli.runs()[0]?.exit).toBeDefined();
  });

  it.for(['limited', 'background', 'crash', 'afterwards', '/model haiku'])(
    '[F-37] starts a new process after a turn with the prompt %s',
    async (prompt, { expect }) => {
      await using w = await newWorld();
      const cli = newCli();
      await using worker = await w.hire(agentOf(cli));
      await w.run(prompt);
      await expect.poll(() => worker.health().warm).toBe(0);
      const texts = await textsOf(w, 'next');
      expect(texts).toEqual(['done']);
      expect(promptsOf(cli)).toEqual([[prompt], ['next']]);
    },
  );

  it('[F-37] a message after the result of a turn is no item of the next one', async ({ expect }) => {
    await using w = await newWorld();
    const cli = newCli();
    await using _worker = await w.hire(agentOf(cli));
    expect(await textsOf(w, 'late')).toEqual(['in time']);
    expect(await textsOf(w, 'next')).toEqual(['done']);
  });

  it.for([
    ['an older release claimed it', 'epoch = epoch + 1'],
    ['a sweep took it over', 'warm_claim = null'],
    ['it was cleared', `session_id = 'another'`],
  ])('[F-37] starts a new process if the conversation moved on: %s', async ([, change], { expect }) => {
    await using w = await newWorld();
    const cli = newCli();
    await using worker = await w.hire(agentOf(cli), { limits: { ...limits, pollMs: 60_000 } });
    await w.run('one');
    expect(worker.health().warm).toBe(1);
    await sql(w.database, `update ${w.schema}.conversation set ${change}`);
    expect((await w.run('two')).outcome.kind).toBe('completed');
    expect(promptsOf(cli)).toEqual([['one'], ['two']]);
    expect(worker.health().turnsReused).toBe(0);
  });

  it('[F-37] a conversation that hops between workers never runs on a process that missed a turn', async ({
    expect,
  }) => {
    await using w = await newWorld();
    const [here, there] = [newCli(), newCli()];
    await using a = await w.hire(agentOf(here), { slots: 1 });
    await w.run('one');
    await using b = await w.hire(agentOf(there), { slots: 1 });
    const busy = async (worker: Worker, key: string): Promise<void> => {
      await w.fleet.submit({ key, prompt: 'hang', id: key });
      await expect.poll(() => a.health().running + b.health().running).toBe(1);
      expect(worker.health().running).toBe(1);
    };
    await b.drain();
    await busy(a, 'busy-a');
    await using c = await w.hire(agentOf(there), { slots: 1 });
    // Left to the other worker for a moment, which has no free slot.
    expect((await w.run('two')).outcome.kind).toBe('completed');
    expect(c.health().turnsReused).toBe(0);
    await w.fleet.cancel('busy-a', { by: 'ann' });
    // Its process ends without a claim.
    await expect.poll(() => a.health()).toMatchObject({ warm: 0, running: 0 });
    await c.drain();
    expect((await w.run('three')).outcome.kind).toBe('completed');
    expect(promptsOf(here)).toEqual([['one'], ['hang'], ['three']]);
    expect(promptsOf(there)).toEqual([['two']]);
  });

  it('[F-37] leaves the next turns to the worker that has the process, among idle ones', async ({ expect }) => {
    await using w = await newWorld();
    const clis = [newCli(), newCli(), newCli()];
    const workers = await Promise.all(clis.map((cli) => w.hire(agentOf(cli), { preferMs: 5_000 })));
    for (let n = 0; n < 8; n += 1) await w.run(`turn ${n}`);
    expect(workers.reduce((sum, worker) => sum + worker.health().turnsReused, 0)).toBe(7);
    await Promise.all(workers.map((worker) => worker.drain()));
  });

  it('[F-37] ends the least recently used process above `maxWarm`, and each after `keepWarmMs`', async ({ expect }) => {
    await using w = await newWorld();
    const cli = newCli();
    await using worker = await w.hire(agentOf(cli), { maxWarm: 2 });
    for (const key of ['ann', 'bob', 'ann', 'cyd']) await w.run('x', key);
    expect(worker.health().warm).toBe(2);
    await w.run('x', 'ann');
    await w.run('x', 'bob');
    expect(promptsOf(cli)).toEqual([['x', 'x', 'x'], ['x'], ['x'], ['x']]);
    await worker.drain();
    await using brief = await w.hire(agentOf(newCli()), { keepWarmMs: 50 });
    await w.run('x');
    await expect.poll(() => brief.health().warm).toBe(0);
    await brief.drain();
    const off = newCli();
    await using none = await w.hire(agentOf(off), { keepWarmMs: 0 });
    await w.run('x');
    expect(off.runs()[0]?.exit).toBeDefined();
    expect(none.health().warm).toBe(0);
  });

  it('[F-37] a drain ends the processes, and a turn that was cancelled or parked leaves none', async ({ expect }) => {
    await using w = await newWorld();
    const cli = newCli();
    const worker = await w.hire(agentOf(cli, undefined, { parkAfterMs: 0 }));
    await w.fleet.submit({ key: 'ann', prompt: 'hang', id: 'hangs' });
    await expect.poll(() => cli.runs().length).toBe(1);
    await expect.poll(async () => (await w.fleet.turns({ id: 'hangs' }))[0]?.state).toBe('sent');
    await w.fleet.cancel('hangs', { by: 'ann' });
    await (await w.fleet.turn('hangs')).outcome();
    expect(worker.health().warm).toBe(0);
    const asks = await w.fleet.submit({ key: 'ann', prompt: 'ask' });
    await expect.poll(async () => (await asks.info()).state).toBe('parked');
    expect(worker.health()).toMatchObject({ running: 0, warm: 0 });
    const [approval] = await w.fleet.approvals();
    await w.fleet.answer(approval?.id ?? '', allow(), { by: 'ann', hash: approval?.hash ?? '' });
    expect((await asks.outcome()).outcome.kind).toBe('completed');
    expect(worker.health().warm).toBe(0);
    await w.run('next');
    expect(worker.health().warm).toBe(1);
    await worker.drain();
    expect(worker.health().warm).toBe(0);
    expect(cli.runs().every(({ exit }) => exit !== undefined)).toBe(true);
    expect(w.errors).toEqual([]);
  });
});
