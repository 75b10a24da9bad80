import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { modifyInput, query, replaceOutput } from 'coxswain';
import { UnsupportedOptionError, UnsupportedRequestError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { SUPPORTED_SINCE } from '../packages/sdk/src/callbacks/abilities.ts';
import { FEATURES_SINCE } from '../packages/sdk/src/cli/feature-gate.ts';
import { flagTable } from '../packages/sdk/src/options/flag-table.ts';
import { openStage as openHooked } from './callbacks/stage.ts';
import { isolatedHome } from './harness/isolated-home.ts';
import { oldestVersion, realCli } from './harness/real-cli.ts';
import { startedSession } from './harness/started-session.ts';
import { readCompatibility, wordsOf } from './matrix/compatibility.ts';
import { runRelease } from './matrix/run-release.ts';

/** `npm run do -- test:older` finds the tests by the release in their titles. */
describe.concurrent(`the oldest supported release, ${oldestVersion},`, () => {
  it('[C-5, C-4] answers a query, version check included', async () => {
    await using stage = await openStage();
    const stream = query('hello', stage.options);
    expect(await stream.text()).toBe('Hello from the past');
    expect(stream.warnings).toEqual([]);
  });

  it('[C-5, S-3, X-2] runs two turns of one conversation; a request that it lacks is refused immediately', async () => {
    await using stage = await openStage();
    await using session = await startedSession(stage.options);
    expect(await session.send('first').text()).toBe('Hello from the past');
    const refusal = await session.request('get_usage').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnsupportedRequestError);
    expect(refusal).toMatchObject({ found: oldestVersion, required: FEATURES_SINCE.get_usage });
    await expect(session.clear()).rejects.toMatchObject({ kind: 'clear', required: FEATURES_SINCE['session:clear'] });
    expect(await session.send('second').text()).toBe('Hello from the past');
    expect(JSON.stringify(stage.api.conversation.at(-1)?.body)).toContain('first');
  });

  it('[C-6] never receives a flag that it lacks: the option is refused by name, before a prompt is sent', async () => {
    await using stage = await openStage();
    const { terminalError } = await query('hello', { ...stage.asPackage(), promptSuggestions: true }).collect();
    expect(terminalError).toBeInstanceOf(UnsupportedOptionError);
    expect(terminalError).toMatchObject({
      flag: '--prompt-suggestions',
      found: oldestVersion,
      required: flagTable.find(({ flag }) => flag === '--prompt-suggestions')?.since,
    });
    expect(stage.api.requests).toEqual([]);
  });

  it('[C-5, C-6] never receives a guard that it would ignore: it is refused before a prompt is sent', async () => {
    await using stage = await openStage();
    const guarded = { ...stage.asPackage(), hooks: { PostToolBatch: () => undefined } };
    const refusal = await startedSession(guarded).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnsupportedOptionError);
    expect(refusal).toMatchObject({
      option: 'hooks.PostToolBatch',
      found: oldestVersion,
      required: FEATURES_SINCE['hook:PostToolBatch'],
    });
    expect(stage.api.requests).toEqual([]);
  });

  it('[H-4] obeys modifyInput(), and a turn ends where it would ignore replaceOutput()', async () => {
    await using stage = await openHooked(oldestVersion, {
      allowedTools: ['Bash'],
      hooks: {
        PreToolUse: ({ tool_input }) =>
          JSON.stringify(tool_input).includes('first')
            ? modifyInput({ command: 'echo modified > modified' })
            : undefined,
        PostToolUse: ({ tool_input }) =>
          JSON.stringify(tool_input).includes('secr') ? replaceOutput('nothing to see') : undefined,
      },
    });
    const modified = await stage.play([toolUse('Bash', { command: 'echo first > first' }), text('done')]);
    expect([stage.read('first'), stage.read('modified')]).toEqual([undefined, 'modified\n']);
    expect(modified.outcome).toMatchObject({ kind: 'completed', text: 'done' });
    const ended = await stage.play([toolUse('Bash', { command: 'echo secr""et-of-the-tool' }), text('unheard')]);
    expect(ended.requests).toHaveLength(1);
    expect(ended.modelReceived('secret-of-the-tool')).toBe(false);
    expect(stage.warnings.filter(({ code }) => code === 'decision-not-expressible')).toMatchObject([
      { context: { what: 'replaceOutput()', required: SUPPORTED_SINCE['PostToolUse:replaceOutput'] } },
    ]);
  });

  it('[K-5, C-5] behaves in the probes as recorded in the table of releases', async () => {
    const { verdicts } = readCompatibility().releases.find(({ version }) => version === oldestVersion) ?? {};
    const run = await runRelease(realCli(oldestVersion), { only: new Set(PROBES) });
    expect(wordsOf(run)).toEqual(Object.fromEntries(PROBES.map((id) => [id, verdicts?.[id]])));
  });
});

/** Some features that it has, and some that it lacks: refused by the SDK, refused by the CLI, ignored. */
const PROBES = ['session:steer', 'store:turns', 'interrupt', 'hook:SessionEnd', 'PreToolUse:ask', '--effort', '--name'];

async function openStage() {
  const api = await startFakeApi(() => text('Hello from the past'));
  const home = await isolatedHome(api.url);
  const cli = realCli(oldestVersion);
  const options = {
    cli,
    env: home.env(),
    inheritEnv: false,
    cwd: home.project,
    // A script's version is not cached, and on a busy machine the version check may take longer.
    limits: { versionTimeoutMs: 30_000 },
  };
  return {
    api,
    options,
    /** With the CLI as npm installs it, so that its version is known before it starts. */
    asPackage: () => ({ ...options, cli: asPackage(cli, home.root) }),
    async [Symbol.asyncDispose]() {
      await api.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

function asPackage(cli: string, root: string): string {
  const folder = join(root, 'node_modules/@anthropic-ai/claude-code');
  mkdirSync(folder, { recursive: true });
  for (const file of ['cli.js', 'package.json']) copyFileSync(join(dirname(cli), file), join(folder, file));
  symlinkSync(join(dirname(cli), 'vendor'), join(folder, 'vendor'));
  return join(folder, 'cli.js');
}
