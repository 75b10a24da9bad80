import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from '@coxswain/testkit';
import { inspectCli } from 'coxswain/cli';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetVersions } from '../../packages/sdk/src/cli/detect-version.ts';
import { noneLeft } from '../harness/none-left.ts';
import { pinnedVersion, realCli, testedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';

// One after the other: the version cache belongs to the process.
describe.each(testedVersions)('the version of %s', (version) => {
  const forget = (): void => {
    forgetVersions();
    vi.unstubAllEnvs();
  };
  beforeEach(forget);
  afterAll(forget);

  it('[C-1, C-4] is determined by inspectCli, and then cached', async () => {
    await using scene = await coldScene(version);
    const cli = realCli(version);
    const inspected = await inspectCli({ cli, env: scene.home.env(), inheritEnv: false });
    expect(inspected).toMatchObject({
      found: { path: cli, kind: 'native', command: [cli] },
      searched: [],
      version: { kind: 'found', version, source: 'probe' },
      supported: 'yes',
    });
    expect(await inspectCli({ cli })).toMatchObject({ version: { version, source: 'cache' } });
    forgetVersions();
    expect(await inspectCli({ cli })).toMatchObject({ version: { version, source: 'cache' } });
  });

  it('[C-4] is read from init when it is unknown, and cached', async () => {
    await using scene = await coldScene(version);
    const stream = scene.query('hello');
    const { messages: items, warnings } = await stream.collect();
    expect(warnings).toEqual([]);
    expect(items.find((message) => message.type === 'system' && message.subtype === 'init')?.claude_code_version).toBe(
      version,
    );
    const folder = join(scene.home.root, 'cache', 'coxswain', 'versions');
    const entries = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
    expect(entries).toMatchObject([{ path: realCli(version), version }]);
  });

  it('[C-4] is checked in parallel with the run, and does not delay the first message', async () => {
    await using scene = await coldScene(version);
    // The check takes longer than the whole run, which ends it.
    const cli = wrapper(scene, 'sleep 30; echo 0.0.1');
    const startedAt = performance.now();
    const stream = scene.query('hello', { cli });
    expect(await stream.text()).toBe('ok');
    expect(stream.warnings).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(callsOf(scene).sort()).toEqual(['--print', '--version']);
    await stream.closed;
    expect(scene.processes()).toEqual([]);
  });

  it('[C-4] ends a CLI that is already running if it is too old', async () => {
    await using scene = await coldScene(version);
    const stream = scene.query('hello', { cli: wrapper(scene, 'echo 0.0.1', 'sleep 1') });
    const { terminalError } = await stream.collect();
    expect(terminalError).toMatchObject({ code: 'unsupported-cli-version', found: '0.0.1' });
    await stream.closed;
    await noneLeft(scene);
  });

  it('[C-4] is checked first when a flag depends on it', async () => {
    await using scene = await coldScene(version);
    const stream = scene.query('hello', { cli: wrapper(scene), forwardSubagentText: true });
    const { terminalError } = await stream.collect();
    if (version === pinnedVersion) {
      expect(terminalError).toBeUndefined();
      expect(callsOf(scene)).toEqual(['--version', '--print']);
    } else {
      expect(terminalError).toMatchObject({ code: 'unsupported-option', found: version });
      expect(callsOf(scene)).toEqual(['--version']);
    }
  });

  it('[C-4] is not checked with versionCheck "off"', async () => {
    await using scene = await coldScene(version);
    expect(await scene.query('hello', { cli: wrapper(scene), versionCheck: 'off' }).text()).toBe('ok');
    expect(callsOf(scene)).toEqual(['--print']);
  });

  /** A script in front of the real CLI that records how it is called, and may answer `--version` itself. */
  function wrapper(scene: Scene, answer = `exec ${realCli(version)} --version`, before = ''): string {
    const path = join(scene.home.root, 'claude');
    const lines = [
      '#!/bin/sh',
      `echo "$1" >> ${join(scene.home.root, 'calls')}`,
      `if [ "$1" = --version ]; then ${answer}; exit; fi`,
      before,
      `exec ${realCli(version)} "$@"`,
    ];
    writeFileSync(path, `${lines.join('\n')}\n`);
    chmodSync(path, 0o755);
    return path;
  }
});

/** A scene with an empty version cache. */
async function coldScene(version: string): Promise<Scene> {
  const scene = await openScene([text('ok')], { version });
  vi.stubEnv('XDG_CACHE_HOME', join(scene.home.root, 'cache'));
  return scene;
}

function callsOf(scene: Scene): string[] {
  return readFileSync(join(scene.home.root, 'calls'), 'utf8').trim().split('\n');
}
