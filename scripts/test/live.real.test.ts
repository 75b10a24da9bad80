import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ApiRequest, type Reply, startFakeApi, text, toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { isolatedHome } from '../../conformance/harness/isolated-home.ts';
import { realCli } from '../../conformance/harness/real-cli.ts';
import { missingMeans, verdictOn } from '../suites/live.mjs';

const LIVE = fileURLToPath(new URL('../suites/live.mjs', import.meta.url));

describe('npm run do -- test:live', () => {
  it('[K-6] reports what is missing, and does not report success', { timeout: 60_000 }, async () => {
    await using home = await isolatedHome('http://127.0.0.1:9');
    const nothing = await live(home.env({ ANTHROPIC_API_KEY: undefined }));
    expect(nothing).toMatchObject({ code: 2, out: expect.stringContaining('test:live: not run.') });
    expect(nothing.out).toContain('COXSWAIN_LIVE=1 is not set');

    const cli = realCli();
    const asked = { ANTHROPIC_API_KEY: undefined, COXSWAIN_LIVE: '1', COXSWAIN_CLI: cli };
    const noKey = await live(home.env(asked));
    expect(noKey).toMatchObject({ code: 2, out: expect.stringContaining('There is no key (ANTHROPIC_API_KEY') });
    expect(noKey.out).toMatch(/the CLI at \S+ is not logged in/);

    const inCi = await live(home.env({ COXSWAIN_LIVE: '1', COXSWAIN_CLI: cli, CI: 'true' }));
    expect(inCi).toMatchObject({ code: 2, out: expect.stringContaining('never runs in CI') });
  });

  it('[K-6] runs its suite within its bounds', { timeout: 120_000 }, async () => {
    await using api = await startFakeApi(obliging);
    await using home = await isolatedHome(api.url);
    const { code, out } = await live(home.env({ COXSWAIN_LIVE: '1', COXSWAIN_CLI: realCli() }));
    expect(out).toContain('test:live: passed: 6 of 6 tests passed, 0 failed, 0 did not run.');
    expect(out).toMatch(/live: \$0\.\d{4} in 6 runs/);
    expect(code).toBe(0);
    expect(new Set(api.conversation.map(({ model }) => model.replace(/[-\d]+/g, ' ').trim()))).toEqual(
      new Set(['claude haiku']),
    );
    expect(api.problems).toEqual([]);
  });
});

describe('missingMeans', () => {
  const loggedIn = (): boolean => true;
  const never = (): boolean => {
    throw new Error('The CLI was asked.');
  };

  it('[K-6] requires a CLI, and a key or a login', () => {
    const env = { COXSWAIN_LIVE: '1' };
    expect(missingMeans(env, { cli: '/claude', loggedIn })).toEqual([]);
    expect(missingMeans({ ...env, ANTHROPIC_API_KEY: 'x' }, { cli: '/claude', loggedIn: never })).toEqual([]);
    expect(missingMeans(env, { cli: '/claude', loggedIn: () => false })).toHaveLength(1);
    expect(missingMeans(env, { cli: undefined, loggedIn: never })).toEqual([
      expect.stringContaining('No Claude Code CLI was found'),
    ]);
  });

  it('[K-6] does not start the CLI unless a run is requested', () => {
    expect(missingMeans({}, { cli: '/claude', loggedIn: never })).toHaveLength(1);
    expect(missingMeans({ COXSWAIN_LIVE: '1', CI: '1' }, { cli: '/claude', loggedIn: never })).toHaveLength(1);
  });
});

describe('verdictOn', () => {
  it.each([
    [{ numTotalTests: 6, numPassedTests: 6, numFailedTests: 0 }, 0, 'passed: 6 of 6'],
    [{ numTotalTests: 6, numPassedTests: 5, numFailedTests: 1 }, 1, '1 failed'],
    [{ numTotalTests: 6, numPassedTests: 4, numFailedTests: 0 }, 1, '2 did not run'],
    [{ numTotalTests: 0, numPassedTests: 0, numFailedTests: 0 }, 1, 'failed: 0 of 0'],
    [undefined, 1, 'no report'],
  ])('[K-6] reports success only if every test passed', (report, code, says) => {
    expect(verdictOn(report)).toMatchObject({ code, text: expect.stringContaining(says) });
  });
});

/** The answers of an obedient model to the suite. */
function obliging({ lastUserText: asked, toolResults }: ApiRequest): Reply {
  const [result] = toolResults;
  if (asked.includes('pong')) return text('pong');
  if (asked.includes('Count')) return text('one\ntwo\nthree\nfour', { chunkSize: 5 });
  if (asked.includes('lucky')) {
    return result ? text(result.text) : toolUse('mcp__numbers__lucky_number', { name: 'Ada' });
  }
  if (asked.includes('echo')) return result ? text('refused') : toolUse('Bash', { command: 'echo hello' });
  if (asked.includes('rowing')) return result ? text('done') : toolUse('StructuredOutput', { people: 9 });
  return text(asked.includes('noted') ? 'noted' : 'oar');
}

function live(env: NodeJS.ProcessEnv): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [LIVE], { env, timeout: 110_000 }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, out: stdout + stderr });
    });
  });
}
