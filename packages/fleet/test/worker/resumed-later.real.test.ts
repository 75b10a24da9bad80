import { type FleetAgent, openFleet, startWorker } from '@coxswain/fleet';
import { allow, decideLater } from 'coxswain';
import type { Transport } from 'coxswain/transport';
import { describe, expect, it } from 'vitest';
import { quick, scriptedAgent } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';

const asking = scriptedAgent(
  (turn, { prompt }) =>
    prompt === 'build'
      ? turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built')
      : turn.say('later'),
  { parkAfterMs: 0 },
);

/** An agent that fails once when it resumes the turn. */
function failing(fail: (agent: FleetAgent, isFirst: () => boolean) => Partial<FleetAgent>): FleetAgent {
  let calls = 0;
  return { ...asking, ...fail(asking, () => ++calls === 1) };
}

const failures: Readonly<Record<string, FleetAgent>> = {
  'workspace.prepare': failing((_, isFirst) => ({
    workspace: {
      async prepare() {
        if (isFirst()) throw new Error('git cannot be reached');
        return { cwd: process.cwd() };
      },
    },
  })),
  options: failing((agent, isFirst) => ({
    options(job) {
      if (isFirst()) throw new Error('the vault cannot be reached');
      return agent.options(job);
    },
  })),
  'the start of the CLI': failing((agent, isFirst) => ({
    options: (job) => (isFirst() ? { cli: '/missing/claude', canUseTool: () => decideLater() } : agent.options(job)),
  })),
  'a tool that the CLI does not have': failing((agent, isFirst) => ({
    options: async (job) => ({ ...(await agent.options(job)), ...(isFirst() && { disallowedTools: ['Bash'] }) }),
  })),
};

/** An agent with a guard, on a machine whose policy switches hooks off. */
function withoutHooks(): FleetAgent {
  return {
    ...asking,
    async options(job) {
      const options = await asking.options(job);
      const transport = (): Transport => {
        if (typeof options.transport !== 'function') throw new Error('The agent is not scripted.');
        const cli = options.transport();
        const write = cli.write.bind(cli);
        cli.write = (text) => write(text.includes('"initialize"') ? withoutField(text, 'hooks') : text);
        return cli;
      };
      return { ...options, transport, hooks: { PreToolUse: () => undefined } };
    },
  };
}

function withoutField(frame: string, field: string): string {
  return `${JSON.stringify(JSON.parse(frame, (name, value: unknown) => (name === field ? undefined : value)))}\n`;
}

describe('a parked turn that cannot be resumed', () => {
  it.each(Object.entries(failures))('[F-35] is resumed later with its answer: %s fails', async (_, agent) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits: quick });
    const first = await startWorker({ ...place, limits: quick, agent: asking });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    const behind = await fleet.submit({ key: 'ann', prompt: 'more' });
    await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
    await first.drain();
    const [approval] = await fleet.approvals({});
    await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    await using _worker = await startWorker({ ...place, limits: quick, agent, onError });
    await behind.outcome();
    const { outcome, endedAt } = await turn.info();
    expect(outcome).toMatchObject({ kind: 'completed', text: 'built' });
    expect(endedAt).toBeLessThanOrEqual((await behind.info()).startedAt ?? 0);
    expect(errors).toHaveLength(1);
    const kinds = (await fleet.audit({ approval: approval?.id })).map(({ kind }) => kind);
    expect(kinds).toEqual(['requested', 'answered', 'delivered']);
  });

  it.each([
    ['options() fails', { ...asking, options: () => Promise.reject(new Error('no vault')) }],
    ['its CLI asks without calling the hooks of the agent', withoutHooks()],
  ] as const)('[F-35] fails after maxAttempts, and its approval is void: %s', async (_, agent: FleetAgent) => {
    const place = await testDatabase();
    const limits = { ...quick, maxAttempts: 2 };
    await using fleet = await openFleet({ ...place, limits });
    const first = await startWorker({ ...place, limits, agent: asking });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
    await first.drain();
    const [approval] = await fleet.approvals({});
    await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    await using _worker = await startWorker({ ...place, limits, agent, onError: () => {} });
    await turn.outcome();
    expect(await turn.info()).toMatchObject({ outcome: { kind: 'failed' }, attempt: 2 });
    expect(await fleet.approvals({ state: 'void' })).toHaveLength(1);
  });
});
