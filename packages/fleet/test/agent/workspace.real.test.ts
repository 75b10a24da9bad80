import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentJob, type FleetTurn, openFleet, startWorker, type Workspace } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';

const never = (): Promise<never> => new Promise(() => {});

describe.concurrent('the workspace of an agent', () => {
  it('prepares the files of a conversation on each worker, one checkout per epoch, and saves them before the outcome', async () => {
    const { database, schema } = await testDatabase();
    const root = await mkdtemp(join(tmpdir(), 'fleet-workspace-'));
    // Shared storage, such as a git remote; each worker has its own folder.
    const remote = join(root, 'remote');
    await mkdir(remote);
    const log = join(remote, 'log');
    const folderOf = (machine: string, job: AgentJob): string => join(root, machine, String(job.epoch));
    const epochs: number[] = [];
    const workspace = (machine: string): Workspace => ({
      async prepare(job) {
        epochs.push(job.epoch);
        const cwd = folderOf(machine, job);
        await mkdir(cwd, { recursive: true });
        await writeFile(join(cwd, 'log'), await readFile(log, 'utf8').catch(() => ''));
        return { cwd };
      },
      async save(job, outcome) {
        const before = await readFile(join(folderOf(machine, job), 'log'), 'utf8');
        await writeFile(log, `${before}${machine} ${job.epoch} ${outcome.kind}\n`);
      },
    });
    await using fleet = await openFleet({ database, schema, limits });
    const seen: string[] = [];
    const run = async (machine: string, id: string): Promise<void> => {
      const agent = scriptedAgent(undefined, { workspace: workspace(machine) });
      await using _worker = await startWorker({ database, schema, limits, agent });
      const turn = await fleet.submit({ key: 'ann', prompt: 'work', id });
      for await (const item of turn.follow())
        if (item.kind === 'message' && item.message.type === 'system' && item.message.subtype === 'init')
          seen.push(item.message.cwd);
      // The files are saved before the outcome is stored.
      expect((await turn.outcome()).outcome.kind).toBe('completed');
      expect(await readFile(log, 'utf8')).toContain(`${machine} `);
    };
    await run('one', 'a');
    await run('two', 'b');
    const [first = 0, second = 0] = epochs;
    expect(second).toBeGreaterThan(first);
    expect(seen).toEqual([join(root, 'one', String(first)), join(root, 'two', String(second))]);
    expect(await readFile(log, 'utf8')).toBe(`one ${first} completed\ntwo ${second} completed\n`);
    await rm(root, { recursive: true, force: true });
  });

  it('a failed prepare or save fails the turn, and the next turn runs', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const workspace: Workspace = {
      async prepare(job) {
        if (job.id === 'unprepared') throw new Error('no such branch');
        // The compiler finds this mistake, unless the agent is written in JavaScript.
        return job.id === 'nowhere' ? (undefined as never) : { cwd: tmpdir() };
      },
      async save(job) {
        if (job.id === 'unsaved') throw new Error('the push was rejected');
      },
    };
    await using _worker = await startWorker({
      database,
      schema,
      limits,
      agent: scriptedAgent(undefined, { workspace }),
    });
    const outcome = async (id: string): Promise<unknown> =>
      (await (await fleet.submit({ key: 'ann', prompt: 'x', id })).outcome()).outcome;
    expect(await outcome('unprepared')).toMatchObject({ kind: 'failed', message: 'no such branch' });
    expect(await outcome('nowhere')).toMatchObject({ kind: 'failed', error: { code: 'agent-function' } });
    expect(await outcome('unsaved')).toMatchObject({ kind: 'failed', message: 'the push was rejected' });
    expect(await outcome('fine')).toMatchObject({ kind: 'completed' });
  });

  it('[F-5] a worker keeps the conversation during a save that takes longer than the lease', async () => {
    const { database, schema } = await testDatabase();
    const short = { ...limits, leaseMs: 3_000 };
    await using fleet = await openFleet({ database, schema, limits });
    let saving = 0;
    const workspace: Workspace = {
      prepare: async () => ({ cwd: tmpdir() }),
      save: async (job) => {
        saving += 1;
        expect(saving).toBe(1);
        if (job.prompt === 'one') await new Promise((resolve) => setTimeout(resolve, 1.5 * short.leaseMs));
        saving -= 1;
      },
    };
    const agent = scriptedAgent((turn) => turn.say('ok').result({ costUsd: 0.01 }), { workspace });
    await using _a = await startWorker({ database, schema, limits: short, agent });
    await using _b = await startWorker({ database, schema, limits: short, agent });
    const first = await fleet.submit({ key: 'ann', prompt: 'one' });
    const second = await fleet.submit({ key: 'ann', prompt: 'two' });
    expect(await first.outcome()).toMatchObject({ outcome: { kind: 'completed' }, costUsd: 0.01 });
    expect(await second.outcome()).toMatchObject({ outcome: { kind: 'completed' } });
    expect((await first.info()).attempt).toBe(1);
  });

  it('[F-9, F-11] a function of the agent that hangs is bounded: cancel ends the turn, a drain releases it, the time limit fails it', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const hanging = scriptedAgent(undefined, { workspace: { prepare: never } });
    const worker = await startWorker({ database, schema, limits, agent: hanging });
    const claimed = async (turn: FleetTurn): Promise<void> => {
      for await (const item of turn.follow()) if (item.kind === 'state' && item.state === 'claimed') return;
    };
    const cancelled = await fleet.submit({ key: 'ann', prompt: 'x', id: 'cancelled' });
    const since = performance.now();
    await claimed(cancelled);
    // Followers are notified; they would poll only after ten seconds.
    expect(performance.now() - since).toBeLessThan(8_000);
    expect(await fleet.cancel('cancelled', { by: 'ann' })).toBe('interrupt');
    expect((await cancelled.outcome()).outcome).toMatchObject({ kind: 'cancelled', by: 'ann' });
    const drained = await fleet.submit({ key: 'ann', prompt: 'y', id: 'drained' });
    await claimed(drained);
    await worker.drain({ timeoutMs: 50 });
    expect(await drained.info()).toMatchObject({ state: 'waiting', attempt: 0, worker: null });
    await using _next = await startWorker({
      database,
      schema,
      limits: { ...limits, agentCallMs: 300 },
      agent: scriptedAgent(undefined, {
        workspace: { prepare: (job) => (job.id === 'late' ? never() : Promise.resolve({ cwd: tmpdir() })) },
      }),
    });
    expect((await drained.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did y' });
    const late = await fleet.submit({ key: 'ann', prompt: 'z', id: 'late' });
    expect((await late.outcome()).outcome).toMatchObject({ kind: 'failed', error: { code: 'agent-function' } });
  });
});
