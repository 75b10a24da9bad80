import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { AS_FOR_USERS, isolatedHome } from './harness/isolated-home.ts';
import { plainRun } from './harness/plain-run.ts';
import { descendantsOf, isAlive, processesOf, processesUnder } from './harness/processes.ts';
import { realCli, testedVersions } from './harness/real-cli.ts';
import { waitUntil } from './harness/wait-until.ts';

describe('isolatedHome', () => {
  it('provides an isolated environment and removes everything', async () => {
    const home = await isolatedHome('http://127.0.0.1:9');
    const env = home.env({ ANTHROPIC_API_KEY: undefined, EXTRA: '1' });
    expect(env).toMatchObject({ HOME: home.home, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', EXTRA: '1' });
    expect(env).not.toHaveProperty('ANTHROPIC_API_KEY');
    expect(env).toHaveProperty('BUN_JSC_useGC');
    expect(home.env(AS_FOR_USERS)).not.toHaveProperty('BUN_JSC_useGC');
    expect(existsSync(home.project)).toBe(true);
    await home[Symbol.asyncDispose]();
    expect(existsSync(home.root)).toBe(false);
  });
});

it.each(testedVersions)(
  'the settings for short runs do not change the messages and requests of %s',
  async (version) => {
    const forTests = await conversation(version, {});
    expect(forTests.said).toContain('result/success');
    expect(await conversation(version, AS_FOR_USERS)).toEqual(forTests);
  },
);

describe('realCli', () => {
  it('explains how to fetch a missing release', () => {
    expect(() => realCli('0.0.1')).toThrow('node scripts/fetch/cli.mjs 0.0.1');
  });
});

describe('processes', () => {
  it('finds running children and grandchildren', async () => {
    const shell = start(['sh', '-c', '(sleep 31 & wait) & wait']);
    await waitUntil(() => processesUnder(shell.pid).some((process) => process.command === 'sleep 31'));
    const pids = descendantsOf(shell.pid);
    for (const pid of [shell.pid, ...pids]) process.kill(pid, 'SIGKILL');
    await waitUntil(() => !pids.some(isAlive) && !isAlive(shell.pid));
  });

  it('does not count a zombie as alive', async () => {
    const parent = start(['sh', '-c', 'sleep 0 & echo $!; exec sleep 31']);
    const [line] = await once(parent.stdout, 'data');
    await waitUntil(() => !isAlive(Number(String(line))));
    expect(isAlive(parent.pid)).toBe(true);
    expect(descendantsOf(parent.pid)).toEqual([]);
    process.kill(parent.pid, 'SIGKILL');
  });

  it('finds an orphan by the directory in its environment', async () => {
    await using home = await isolatedHome('http://127.0.0.1:9');
    start(['sh', '-c', 'sleep 31 &'], home.env());
    const orphan = await waitUntil(() => processesOf(home.root).find((process) => process.command === 'sleep 31'));
    process.kill(orphan.pid, 'SIGKILL');
    await waitUntil(() => processesOf(home.root).length === 0);
  });
});

describe('waitUntil', () => {
  it('gives up with an error that names the condition', async () => {
    await expect(waitUntil(() => false, { timeoutMs: 30, what: 'rain' })).rejects.toThrow(
      'Timed out after 30 ms waiting for rain.',
    );
  });
});

function start([command = '', ...args]: string[], env = process.env) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  if (child.pid === undefined) throw new Error(`${command} did not start.`);
  return { pid: child.pid, stdout: child.stdout };
}

/** Two turns with a tool: the kinds and fields of the frames, and the API requests. */
async function conversation(version: string, env: Readonly<Record<string, undefined>>) {
  const script = [toolUse('Bash', { command: 'echo from-the-shell' }), text('done'), text('again')];
  await using api = await startFakeApi(script);
  await using home = await isolatedHome(api.url);
  const args = ['--allowedTools', 'Bash'];
  const run = await plainRun({ home, version, env, args, turns: ['first', 'second'] });
  const { exitCode, signal, nonJsonLines, stderr } = run;
  return {
    ...{ exitCode, signal, nonJsonLines, stderr },
    said: run.frames.map(({ type, subtype }) => [type, subtype].filter(Boolean).join('/')),
    fields: run.frames.map((frame) => Object.keys(frame).sort()),
    asked: api.conversation.map(({ lastUserText, state }) => ({ lastUserText, state })),
  };
}
