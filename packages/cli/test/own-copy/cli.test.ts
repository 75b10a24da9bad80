import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCox } from '../run-cox.ts';

describe.concurrent('cox cli', () => {
  let home: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'cox-cli-'));
    await mkdir(join(home, 'bin'));
    await writeFile(join(home, 'bin', 'claude'), '#!/bin/sh\necho "2.1.300 (Claude Code)"\n');
    await chmod(join(home, 'bin', 'claude'), 0o755);
    env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}`, COXSWAIN_CLI: join(home, 'bin', 'claude') };
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('[L-1] path prints the CLI that a run would use', async () => {
    expect(await runCox(['cli', 'path'], { env })).toEqual({ stdout: `${home}/bin/claude\n`, stderr: '', code: 0 });
    const none = await runCox(['cli', 'path', 'pinned'], { env });
    expect(none).toMatchObject({ stdout: '', code: 1, stderr: expect.stringContaining('is not installed yet') });
  });

  it('[L-1] list shows installed copies, and damaged ones', async () => {
    await mkdir(join(home, '.cache', 'coxswain', 'cli', `2.1.0-${process.platform}-${process.arch}`), {
      recursive: true,
    });
    const { stdout, code } = await runCox(['cli', 'list', '--json'], { env });
    const listed = JSON.parse(stdout);
    expect(listed[0]).toEqual({
      version: '2.1.300',
      path: `${home}/bin/claude`,
      use: 'auto',
      bytes: expect.any(Number),
    });
    if (process.platform === 'linux') expect(listed[1]).toMatchObject({ version: '2.1.0', use: 'damaged' });
    expect(code).toBe(0);
    expect((await runCox(['cli', 'list'], { env })).stdout).toMatch(
      /^version +used by +size +path\n2\.1\.300 +auto +\d+ B +\//,
    );
  });

  it('[L-1, L-2] install requires an exact version', async () => {
    const { stdout, stderr, code } = await runCox(['cli', 'install', 'latest'], { env });
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain('latest is not an exact version');
  });

  it('[L-1] install reports why npm failed', async () => {
    const bin = join(home, 'npm');
    await mkdir(bin);
    await writeFile(join(bin, 'npm'), '#!/bin/sh\necho "npm error code E404" >&2\nexit 1\n');
    await chmod(join(bin, 'npm'), 0o755);
    const { stdout, stderr, code } = await runCox(['cli', 'install', '9.9.9'], {
      env: { ...env, PATH: `${bin}:${env.PATH}` },
    });
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toMatch(/^asking the registry …$/m);
    expect(stderr).toMatch(/✗ Claude Code 9\.9\.9 could not be installed/);
  });

  it.each([
    ['--cli pinned', ['--cli', 'pinned'], {}],
    ['COXSWAIN_CLI=pinned', [], { COXSWAIN_CLI: 'pinned' }],
  ])('[L-1] shows the progress of the download in the first run with %s', async (_, flags, more) => {
    const bin = await mkdtemp(join(home, 'npm-'));
    await writeFile(join(bin, 'npm'), '#!/bin/sh\necho "npm error code E404" >&2\nexit 1\n');
    await chmod(join(bin, 'npm'), 0o755);
    const elsewhere = { ...env, ...more, XDG_CACHE_HOME: bin, PATH: `${bin}:${env.PATH}` };
    const { stdout, stderr, code } = await runCox(['run', ...flags, 'hello'], { env: elsewhere });
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toMatch(/^asking the registry …\n[\s\S]*✗ Claude Code [\d.]+ could not be installed/);
  });
});
