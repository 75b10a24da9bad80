import { type AgentJob, defineAgent, type FleetAgent, isFleetError, openFleet, startWorker } from '@coxswain/fleet';
import { type InMemoryCli, inMemoryCli, script } from '@coxswain/testkit';
import { allow, type PermissionDecision } from 'coxswain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quick as limits } from '../support/agents.ts';
import { type Crash, type CrashingServer, crashingServer, POSTGRES } from '../support/crashing-server.ts';

/**
 * An agent whose function `options` waits; `prompts()` returns what the agent received. Before the first run of a turn ends, it waits for
 * the second one, if there is one.
 */
function slowAgent(before: (job: AgentJob, run: number) => Promise<void>): {
  agent: FleetAgent;
  prompts: () => string[];
} {
  const clis: InMemoryCli[] = [];
  const runs = new Map<string, number>();
  const sendsOf = (id: string): number => prompts().filter((prompt) => prompt === id).length;
  const agent = defineAgent({
    options: async (job) => {
      const id = String(job.prompt);
      const run = (runs.get(id) ?? 0) + 1;
      runs.set(id, run);
      await before(job, run);
      const play = script().otherwise((turn) =>
        turn.useTool('Wait', {}, { result: 'waited', permission: 'ask' }).say(`did ${id}`),
      );
      const cli = inMemoryCli(play);
      clis.push(cli);
      const canUseTool = async (): Promise<PermissionDecision> => {
        if (run === 1 && runs.get(id) === 2) await expect.poll(() => sendsOf(id), { timeout: 10_000 }).toBe(2);
        return allow();
      };
      return { transport: cli.transport, canUseTool };
    },
  });
  const prompts = (): string[] => clis.flatMap((cli) => cli.runs().flatMap((run) => run.prompts));
  return { agent, prompts };
}

describe.each(POSTGRES)('a crash of $release', ({ binaries }) => {
  let server: CrashingServer;
  beforeAll(async () => {
    server = await crashingServer(binaries);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each<Crash>(['immediate', 'kill'])(
    '[F-17] (%s) while options() runs does not send a prompt twice',
    async (how) => {
      const shared = { database: server.url, schema: how, limits };
      await using fleet = await openFleet(shared);
      const { agent, prompts } = slowAgent(async ({ prompt }, run) => {
        if (prompt !== 'one') return;
        // A second run, if there is one, continues when the first one has sent its prompt.
        if (run > 1) return expect.poll(() => prompts(), { timeout: 10_000 }).toContain('one');
        await server.crash(how);
        await server.start();
        // Before this run continues, the worker claims all waiting turns, including this one if its claim was undone.
        await (await fleet.submit({ key: 'bob', prompt: 'two' }, { waitMs: 30_000 })).outcome();
      });
      await using worker = await startWorker({ ...shared, agent });
      const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
      expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
      await worker.drain();
      expect(prompts().sort()).toEqual(['one', 'two']);
    },
  );

  it('[F-17] that undoes a claim, as a failover to a lagging replica does, ends its run before the prompt is sent', async () => {
    const shared = { database: server.url, schema: 'replica', limits };
    await using fleet = await openFleet(shared);
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await server.keepCopy();
    const epochs: number[] = [];
    const errors: unknown[] = [];
    let again: () => void = () => {};
    const claimedAgain = new Promise<void>((resolve) => {
      again = resolve;
    });
    const { agent, prompts } = slowAgent(async ({ epoch }, run) => {
      epochs.push(epoch);
      if (run > 1) {
        again();
        // The first run continues first: it sends its prompt, or detects that it lost the conversation.
        const isOver = (): boolean => prompts().length > 0 || errors.some((error) => isFleetError(error, 'lease-lost'));
        return expect.poll(isOver, { timeout: 10_000 }).toBe(true);
      }
      await server.crash('immediate');
      await server.useCopy();
      await server.start();
      await claimedAgain;
    });
    await using worker = await startWorker({ ...shared, agent, onError: (error) => errors.push(error) });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
    await worker.drain();
    expect(prompts()).toEqual(['one']);
    expect(new Set(epochs).size).toBe(2);
  });

  it('[F-1, F-17] loses no turn that submit() has acknowledged, whatever synchronous_commit the role has', async () => {
    const database = await server.role('hasty', { synchronous_commit: 'off' });
    await using fleet = await openFleet({ database, schema: 'hasty', limits });
    for (const n of [1, 2, 3]) await fleet.submit({ key: `c${n}`, prompt: 'one', id: `t${n}` });
    await fleet.setQuota('ann', { maxConcurrent: 3 });
    await fleet.schedule({ name: 'nightly', cron: '0 3 * * *', key: 'n', prompt: 'one' });
    await server.crash('immediate');
    await server.start();
    await expect.poll(async () => (await fleet.health()).reachable, { timeout: 10_000 }).toBe(true);
    expect((await fleet.turns()).map(({ id }) => id).sort()).toEqual(['t1', 't2', 't3']);
    expect(await fleet.quotas()).toMatchObject([{ tenant: 'ann', maxConcurrent: 3 }]);
    expect((await fleet.schedules()).map(({ name }) => name)).toEqual(['nightly']);
  });
});
