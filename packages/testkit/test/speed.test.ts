import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { expectThat } from '../src/matchers/expect-that.ts';
import { inMemoryCli } from '../src/scripted/in-memory.ts';
import type { ScriptedRun } from '../src/scripted/runs.ts';
import { script } from '../src/scripted/script.ts';
import { scriptedCli } from '../src/scripted/scripted-cli.ts';
import { answer } from './speed-agent.ts';

const RUNS = 5;
/** What `node -e 0` takes at most where nothing else runs; the benchmark machine needs 40 ms. */
const QUIET_START_MS = 60;

describe('the test of an agent with a hook, a permission policy and a tool', () => {
  it('[K-1] takes less than 50 ms in memory', async () => {
    const test = async (): Promise<void> => {
      const { transport, runs } = inMemoryCli(agent());
      expect(await answer('What did Ada order?', { transport })).toBe('An oar.');
      check(runs());
    };
    const first = await timeOf(test); // Loads the MCP library.
    const median = await medianOf(test);
    console.log(`in memory: median ${median} ms, the first ${first} ms`);
    expect(median).toBeLessThan(50 * (await slowness()));
  });

  it('[K-1] takes less than 300 ms as a process', async () => {
    const test = async (): Promise<void> => {
      await using cli = await scriptedCli(agent());
      expect(await answer('What did Ada order?', { cli: cli.path })).toBe('An oar.');
      check(await cli.runs());
    };
    const first = await timeOf(test);
    const median = await medianOf(test);
    console.log(`as a process: median ${median} ms, the first ${first} ms`);
    expect(median).toBeLessThan(300 * (await slowness()));
  });
});

/** All that a user's test does counts: the script, the run, the checks. */
async function medianOf(test: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await timeOf(test));
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
}

async function timeOf(test: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await test();
  return Math.round(performance.now() - start);
}

/** The figures are for a machine that has nothing else to do, and other test files run at the same time: 1 when it is quiet. */
async function slowness(): Promise<number> {
  const bareNode = (): Promise<unknown> => once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return Math.max(1, (await medianOf(bareNode)) / QUIET_START_MS);
}

function agent() {
  return script().onPrompt('Ada', (turn) =>
    turn
      .useTool('mcp__shop__orders', { customer: 'ada' })
      .useTool('Bash', { command: 'rm -r orders' })
      .useTool('Write', { file_path: 'note', content: 'x' })
      .say('An oar.'),
  );
}

function check(runs: readonly ScriptedRun[]): void {
  expectThat(runs).toHaveRunTool('mcp__shop__orders', { customer: 'ada' });
  expectThat(runs).toHaveRefusedTool('Bash', { command: /rm/ });
  expectThat(runs).toHaveRefusedTool('Write');
}
