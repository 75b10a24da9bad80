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
/** The longest start of `node -e 0` on an idle machine; the benchmark machine needs 40 ms. */
const QUIET_START_MS = 60;

describe('the test of an agent with a hook, a permission policy and a tool', () => {
  it('[K-1] takes less than 50 ms in memory', async () => {
    const test = async (): Promise<void> => {
      const { transport, runs } = inMemoryCli(agent());
      expect(await answer('What did Ada order?', { transport })).toBe('An oar.');
      check(runs());
    };
    const first = await timeOf(test); // Loads the MCP library.
    const best = await bestOf(test);
    console.log(`in memory: ${best} ms at a quiet moment, the first ${first} ms`);
    expect(best).toBeLessThan(50);
  });

  it('[K-1] takes less than 300 ms as a process', async () => {
    const test = async (): Promise<void> => {
      await using cli = await scriptedCli(agent());
      expect(await answer('What did Ada order?', { cli: cli.path })).toBe('An oar.');
      check(await cli.runs());
    };
    const first = await timeOf(test);
    const best = await bestOf(test);
    console.log(`as a process: ${best} ms at a quiet moment, the first ${first} ms`);
    expect(best).toBeLessThan(300);
  });
});

/**
 * The shortest of several runs. The limits are for an idle machine, but other test files run at the same time: each run is divided
 * by the slowdown of a Node start directly after it.
 */
async function bestOf(test: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const taken = await timeOf(test);
    times.push(Math.round(taken / Math.max(1, (await timeOf(bareNode)) / QUIET_START_MS)));
  }
  return Math.min(...times);
}

function bareNode(): Promise<unknown> {
  return once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
}

/** Measures everything in a user's test: the script, the run, the checks. */
async function timeOf(test: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await test();
  return Math.round(performance.now() - start);
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
