import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { modifyInput, query, replaceOutput } from 'coxswain';
import { UnsupportedCliVersionError, UnsupportedOptionError, UnsupportedRequestError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { SUPPORTED_SINCE } from '../packages/sdk/src/callbacks/abilities.ts';
import { FEATURES_SINCE } from '../packages/sdk/src/cli/feature-gate.ts';
import { MINIMUM_QUERY_VERSION, MINIMUM_SESSION_VERSION } from '../packages/sdk/src/cli/version.ts';
import { flagTable } from '../packages/sdk/src/options/flag-table.ts';
import { openStage as openHooked } from './callbacks/stage.ts';
import { isolatedHome } from './harness/isolated-home.ts';
import { realCli, runsOldReleases } from './harness/real-cli.ts';
import { startedSession } from './harness/started-session.ts';
import { wordsOf } from './matrix/compatibility.ts';
import { runRelease } from './matrix/run-release.ts';
import releases from './releases.json' with { type: 'json' };

/** `npm run test:older` finds the tests by the releases in their titles. */
const oldest = Object.values(releases.oldest).join(' and ');

describe(`the oldest supported releases, ${oldest},`, () => {
  it('[C-5] are the releases that this suite runs', () => {
    expect(releases.oldest).toEqual({ query: MINIMUM_QUERY_VERSION, session: MINIMUM_SESSION_VERSION });
  });

  it.runIf(runsOldReleases)(
    '[C-5, C-4] the oldest release for queries answers a query, version check included',
    async () => {
      await using stage = await openStage(releases.oldest.query);
      const stream = query('hello', stage.options);
      expect(await stream.text()).toBe('Hello from the past');
      expect(stream.warnings).toEqual([]);
    },
  );

  it.runIf(runsOldReleases)(
    "[C-5, C-6, O-6] the oldest one for queries takes permissionMode 'default', though it knows no modes",
    async () => {
      await using stage = await openStage(releases.oldest.query);
      const options = { ...stage.options, cli: asPackage(stage.options.cli, stage.root) };
      expect(await query('hello', { ...options, permissionMode: 'default' }).text()).toBe('Hello from the past');
      const { terminalError } = await query('hello', { ...options, permissionMode: 'plan' }).collect();
      expect(terminalError).toMatchObject({ code: 'unsupported-option', option: 'permissionMode' });
    },
  );

  it.runIf(runsOldReleases)(
    '[C-5, C-4, X-2] the oldest release for sessions runs two turns of one conversation; a request that it never answers is refused at once',
    async () => {
      await using stage = await openStage(releases.oldest.session);
      const session = await startedSession(stage.options);
      expect(await session.send('first').text()).toBe('Hello from the past');
      const refusal = await session.getSettings().catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(UnsupportedRequestError);
      expect(refusal).toMatchObject({ kind: 'get_settings', required: FEATURES_SINCE.get_settings });
      expect(await session.send('second').text()).toBe('Hello from the past');
      expect(JSON.stringify(stage.api.conversation.at(-1)?.body)).toContain('first');
      await session.close();
    },
  );

  it.runIf(runsOldReleases)(
    '[C-4, C-5] a release that is too old for a session is refused with its version, before a prompt is sent',
    async () => {
      await using stage = await openStage(releases.oldest.query);
      const refusal = await startedSession(stage.options).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(UnsupportedCliVersionError);
      expect(refusal).toMatchObject({ found: releases.oldest.query, required: MINIMUM_SESSION_VERSION });
      expect(stage.api.requests).toEqual([]);
    },
  );
});

describe(`features newer than ${oldest}`, () => {
  it.runIf(runsOldReleases)(
    '[C-6] a flag that the oldest release does not accept is refused by name, before a prompt is sent',
    async () => {
      await using stage = await openStage(releases.oldest.query);
      const options = { ...stage.options, cli: asPackage(stage.options.cli, stage.root), effort: 'low' as const };
      const { terminalError } = await query('hello', options).collect();
      expect(terminalError).toBeInstanceOf(UnsupportedOptionError);
      expect(terminalError).toMatchObject({
        flag: '--effort',
        found: releases.oldest.query,
        required: flagTable.find(({ flag }) => flag === '--effort')?.since,
      });
      expect(stage.api.requests).toEqual([]);
    },
  );

  it.runIf(runsOldReleases)(
    '[C-5, C-6] a guard that the oldest release for sessions would ignore is refused, before a prompt is sent',
    async () => {
      await using stage = await openStage(releases.oldest.session);
      const cli = asPackage(stage.options.cli, stage.root);
      const guarded = { ...stage.options, cli, hooks: { PostToolBatch: () => undefined } };
      const refusal = await startedSession(guarded).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(UnsupportedOptionError);
      expect(refusal).toMatchObject({
        option: 'hooks.PostToolBatch',
        found: releases.oldest.session,
        required: FEATURES_SINCE['hook:PostToolBatch'],
      });
      expect(stage.api.requests).toEqual([]);
    },
  );

  it.runIf(runsOldReleases)(
    '[H-4] a hook whose decision the oldest release ignores still prevents what it refused',
    async () => {
      await using stage = await openHooked(releases.oldest.session, {
        allowedTools: ['Bash'],
        hooks: {
          PreToolUse: ({ tool_input }) =>
            JSON.stringify(tool_input).includes('first')
              ? modifyInput({ command: 'echo modified > modified' })
              : undefined,
          PostToolUse: () => replaceOutput('nothing to see'),
        },
      });
      const refused = await stage.play([toolUse('Bash', { command: 'echo first > first' }), text('a pity')]);
      expect([stage.read('first'), stage.read('modified')]).toEqual([undefined, undefined]);
      expect(refused.told(`needs Claude Code ${SUPPORTED_SINCE['PreToolUse:modify']}`)).toBe(true);
      expect(refused.outcome).toMatchObject({ kind: 'completed', text: 'a pity' });
      const ended = await stage.play([toolUse('Bash', { command: 'echo secr""et-of-the-tool' }), text('unheard')]);
      expect(ended.requests).toHaveLength(1);
      expect(ended.told('secret-of-the-tool')).toBe(false);
      expect(stage.warnings.filter(({ code }) => code === 'decision-not-expressible')).toMatchObject([
        { context: { what: 'modifyInput()', required: SUPPORTED_SINCE['PreToolUse:modify'] } },
        { context: { what: 'replaceOutput()', required: SUPPORTED_SINCE['PostToolUse:replaceOutput'] } },
      ]);
    },
  );
});

describe(`the probes on ${releases.oldest.query}`, () => {
  it.runIf(runsOldReleases)('[K-5, C-5] report what it lacks, and that the SDK refuses it', async () => {
    const run = await runRelease(realCli(releases.oldest.query), { only: new Set(['session', '--effort']) });
    expect(wordsOf(run)).toEqual({ session: `needs ${MINIMUM_SESSION_VERSION}`, '--effort': 'no: unknown option' });
  });
});

async function openStage(version: string) {
  const api = await startFakeApi(() => text('Hello from the past'));
  const home = await isolatedHome(api.url);
  return {
    api,
    root: home.root,
    options: {
      cli: realCli(version),
      env: home.env(),
      inheritEnv: false,
      cwd: home.project,
      // These releases do not report their version in a conversation, and on a busy machine the version check may take longer.
      limits: { versionTimeoutMs: 30_000 },
    },
    async [Symbol.asyncDispose]() {
      await api.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** The CLI as npm installs it, which reports its version before it starts. */
function asPackage(cli: string, root: string): string {
  const folder = join(root, 'node_modules/@anthropic-ai/claude-code');
  mkdirSync(folder, { recursive: true });
  for (const file of ['cli.js', 'package.json', 'yoga.wasm'])
    copyFileSync(join(dirname(cli), file), join(folder, file));
  symlinkSync(join(dirname(cli), 'vendor'), join(folder, 'vendor'));
  return join(folder, 'cli.js');
}
