import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Script, script, scriptedCli } from '@coxswain/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliPath, releases } from '../../scripts/fetch-cli.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cox-home-'));
});
afterAll(() => rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

describe('the code in the README', () => {
  it('[K-1] the query shows the tools and the answer', async () => {
    const agent = script().otherwise((turn) =>
      turn.useTool('Bash', { command: 'npm test' }, { result: '1 failed' }).say('The one about oars.'),
    );
    expect(await run(new URL('../readme/query.ts', import.meta.url), agent)).toBe(
      "Bash { command: 'npm test' }\nThe one about oars.\n",
    );
  });

  it('[K-1] text() gives the answer', async () => {
    const agent = script().otherwise((turn) => turn.say('It steers.'));
    expect(await run(new URL('../readme/text.ts', import.meta.url), agent)).toBe('It steers.\n');
  });

  it('[K-1] the text streams', async () => {
    const agent = script().otherwise((turn) => turn.say('First, it builds.'));
    expect(await run(new URL('../readme/streaming.ts', import.meta.url), agent)).toBe('First, it builds.');
  });

  it('[K-1] the session has a tool, a guard and a permission callback', async () => {
    const agent = script()
      .onPrompt('deployed', (turn) =>
        turn
          .useTool('mcp__ops__last_deploy', { service: 'api' })
          .useTool('Bash', { command: 'stat build' }, { permission: 'ask', result: 'older' })
          .useTool('Write', { file_path: 'a', content: 'b' }, { permission: 'ask' })
          .say('It is older.'),
      )
      .otherwise((turn) => turn.useTool('Bash', { command: 'rm -r build' }).say('I may not.'));
    await using cli = await scriptedCli(agent);
    const shown = await runOn(new URL('../readme/session.ts', import.meta.url), cli.path);
    expect(shown.split('\n')).toContain('result');
    expect(shown).toMatch(/\nI may not\.\n$/);
    // The SDK asks an executable for its version too, and that is a run of its own.
    const run = (await cli.runs()).find(({ prompts }) => prompts.length > 0);
    expect(run?.prompts).toHaveLength(2);
    expect(run?.tools.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'mcp__ops__last_deploy ran',
      'Bash ran',
      'Write refused',
      'Bash refused',
    ]);
  });

  it.each([
    ['auth\n', script().otherwise((turn) => turn.notLoggedIn())],
    ['Wait until undefined\n', script().otherwise((turn) => turn.apiError(429))],
    ['exitCode: 7', script().otherwise((turn) => turn.exit(7))],
  ])('[K-1] an error is told apart: %s', async (shown, agent) => {
    expect(await run(new URL('../readme/errors.ts', import.meta.url), agent)).toContain(shown);
  });

  it('[K-1] the guarded agent passes its own test in memory', async () => {
    expect(await runTest(new URL('../readme/guarded-agent.test.ts', import.meta.url), '')).toContain('# pass 1\n');
  });

  it('[K-2] the guarded agent passes its own test on the real CLI and the fake API', async () => {
    const cli = cliPath(releases().pinned) ?? 'not fetched: npm test does so';
    expect(await runTest(new URL('../readme/fake-api.test.ts', import.meta.url), cli)).toContain('# pass 1\n');
  });
});

/** What a file prints on a CLI that plays this script; it must end well. */
async function run(file: URL, agent: Script): Promise<string> {
  await using cli = await scriptedCli(agent);
  return await runOn(file, cli.path); // Not before it is done may its CLI go.
}

function runOn(file: URL, cli: string): Promise<string> {
  return node(['--import', 'tsx', fileURLToPath(file)], cli);
}

function runTest(file: URL, cli: string): Promise<string> {
  return node(['--import', 'tsx', '--test', '--test-reporter=tap', fileURLToPath(file)], cli);
}

/** What the README's reader would see; the CLI is found as an installed one would be. */
function node(argv: readonly string[], cli: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home, COXSWAIN_CLI: cli };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, argv, { cwd: root, env, timeout: 14_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
      else resolve(stdout + stderr);
    });
  });
}
