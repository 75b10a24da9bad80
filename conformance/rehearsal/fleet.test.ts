import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, openFleet, startEmbedded, startWorker } from '@coxswain/fleet';
import { fromFleet, perform, rehearse } from '@coxswain/rehearsal';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, allow } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCox } from '../../packages/cli/test/run-cox.ts';
import { POSTGRES_BINARIES } from '../../scripts/fetch/postgres.mjs';
import { isolatedHome } from '../harness/isolated-home.ts';
import { realCli, testedVersions } from '../harness/real-cli.ts';

const KEY = 'ann/boats';
const AGENT: AgentOptions = { settingSources: [], allowedTools: ['Bash(npm *)'], canUseTool: () => allow() };
const STRICTER: AgentOptions = { ...AGENT, disallowedTools: ['Bash(echo *)'] };

describe.each(testedVersions)('a conversation of a fleet on %s', (version) => {
  const cli = realCli(version);

  it(`[N-1, N-2, N-3, N-4] is rehearsed from its PostgreSQL, which does not change (${version})`, {
    timeout: 240_000,
  }, async () => {
    await using recorded = await recordedFleet(version);
    const { fleet, effects } = recorded;
    const stored = await fleet.transcript(KEY);
    const scenario = await fromFleet(fleet, KEY);
    expect(scenario.agents).toHaveLength(1);

    const same = await rehearse(scenario, { agent: AGENT, cli });
    expect(same.differences).toEqual([]);
    expect(same.gaps).toEqual([]);
    expect(same.after.calls.map(({ tool, outcome }) => `${tool} ${outcome}`).sort()).toEqual([
      'Agent ran',
      'Bash ran',
      'Bash ran',
      'Bash ran',
      'Bash ran',
    ]);
    const stage = { agent: AGENT, cli };
    const changed = await rehearse(scenario, { agent: STRICTER, cli }, { against: stage });
    expect(changed.differences.map(({ change, subject }) => `${change} ${subject}`)).toEqual(
      changed.before.calls
        .filter(({ input }) => input.startsWith('echo '))
        .map(({ input }) => `now-refused Bash(${input})`),
    );
    expect((await perform(scenario, stage)).calls).toEqual(changed.before.calls);

    // Each command ran once: for the fleet.
    expect((await readFile(effects, 'utf8')).trim().split('\n').sort()).toEqual(['boat', 'crew']);
    expect(await fleet.transcript(KEY)).toEqual(stored);
    expect(await fleet.conversations({})).toMatchObject([{ key: KEY, turns: 2 }]);
  });

  it(`[N-7] is rehearsed by cox rehearse --fleet (${version})`, { timeout: 240_000 }, async () => {
    await using recorded = await recordedFleet(version);
    const agent = join(recorded.folder, 'agent.mjs');
    const cox = (name: string) =>
      runCox(['rehearse', name, '--fleet', recorded.database, '--agent', agent, '--cli', cli], { timeoutMs: 120_000 });
    await writeFile(
      agent,
      `export default { ...${JSON.stringify(AGENT)}, canUseTool: () => ({ decision: 'allow' }) };\n`,
    );
    expect(await cox('ann/*')).toMatchObject({ stdout: '✓ No difference in 5 calls. (1 conversation)\n', code: 0 });
    await writeFile(agent, `export default ${JSON.stringify(STRICTER)};\n`);
    const { stdout, code } = await cox(KEY);
    expect(stdout).toMatch(/^≠ 2 of 5 calls would now be refused\./);
    expect(code).toBe(1);
    expect(await cox('bob/*')).toMatchObject({ code: 2, stderr: expect.stringContaining('no conversation bob/*') });
  });
});

/** A fleet with one conversation of two turns, which a worker has run on the real CLI: parallel calls, and a subagent. */
async function recordedFleet(version: string) {
  const folder = await mkdtemp(join(tmpdir(), 'rehearsed-fleet-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const effects = join(folder, 'effects');
  const server = await startEmbedded({ directory: join(folder, 'postgres'), binaries: POSTGRES_BINARIES });
  const bash = (command: string) => toolUse('Bash', { command });
  const counting = {
    description: 'Count',
    prompt: 'Count the boats, please.',
    subagent_type: 'general-purpose',
    run_in_background: false,
  };
  const api = await startFakeApi([
    [bash(`echo boat >> ${effects}`), bash('npm --version')],
    toolUse('Agent', counting),
    bash('npm --version'),
    text('One boat.'),
    text('Counted.'),
    bash(`echo crew >> ${effects}`),
    text('Bye.'),
  ]);
  const home = await isolatedHome(api.url);
  const fleet = await openFleet({ database: server.url });
  const options: AgentOptions = {
    ...AGENT,
    cli: realCli(version),
    cwd: home.project,
    env: home.env(),
    inheritEnv: false,
  };
  const worker = await startWorker({
    database: server.url,
    slots: 1,
    agent: defineAgent({ options: () => options }),
  });
  for (const prompt of ['Count the boats.', 'And the crew.']) {
    const turn = await fleet.submit({ key: KEY, prompt });
    const { outcome } = await turn.outcome();
    if (outcome.kind !== 'completed') throw new Error(`The turn ended: ${JSON.stringify(outcome)}`);
  }
  await worker.drain({ timeoutMs: 10_000 });
  return {
    folder,
    effects,
    fleet,
    database: server.url,
    async [Symbol.asyncDispose]() {
      await fleet.close();
      await server[Symbol.asyncDispose]();
      await api.close();
      await home[Symbol.asyncDispose]();
    },
  };
}
