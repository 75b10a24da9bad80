import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectCli } from '../../src/cli/inspect.ts';
import { type InstallProgress, installCli } from '../../src/cli/install.ts';
import { locateCli } from '../../src/cli/locate.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';

/** One install of 300 MB serves all tests; npm's cache speeds up repeated runs. */
const home = mkdtempSync(join(tmpdir(), 'coxswain-install-'));
const env = { ...process.env, NODE_EXTRA_CA_CERTS: process.env.TESTS_EXTRA_CA_CERTS, XDG_CACHE_HOME: home };
const host = { env, platform: process.platform };
const progress: InstallProgress[] = [];
let paths: string[] = [];

beforeAll(async () => {
  const both = [1, 2].map(() => installCli({ env: host.env, onProgress: (step) => progress.push(step) }));
  paths = (await Promise.all(both)).map(({ path }) => path);
}, 10 * 60_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the real pinned CLI', () => {
  it('[C-2] is installed once by two concurrent installers, and runs', () => {
    expect(new Set(paths).size).toBe(1);
    expect(progress.filter(({ phase }) => phase === 'resolving')).toHaveLength(1);
    const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: join(home, 'config') };
    const { stdout } = spawnSync(paths[0] ?? '', ['--version'], { encoding: 'utf8', env });
    expect(stdout).toContain(PINNED_VERSION);
  });

  it('[C-2] reports the number of unpacked bytes', () => {
    const last = progress.findLast(({ phase }) => phase === 'unpacking');
    expect(last?.receivedBytes).toBeGreaterThan(50_000_000);
    expect(last?.receivedBytes).toBe(last?.totalBytes);
  });

  it('[C-2, C-4] is found later without npm and without a registry, with its version', async () => {
    const offline = { ...host, env: { XDG_CACHE_HOME: home, PATH: '' } };
    expect(await locateCli({ cli: 'pinned' }, offline)).toMatchObject({
      path: paths[0],
      kind: 'native',
      source: 'pinned',
      packageVersion: PINNED_VERSION,
    });
    expect(await inspectCli({ cli: 'pinned' }, offline)).toMatchObject({ supported: 'yes' });
  });
});
