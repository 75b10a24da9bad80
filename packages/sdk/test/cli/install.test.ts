import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { inspectCli } from '../../src/cli/inspect.ts';
import {
  type InstallCliOptions,
  type InstallProgress,
  installCli,
  installedClis,
  installWithin,
} from '../../src/cli/install.ts';
import { knownIntegrity } from '../../src/cli/install-download.ts';
import { pidSpace } from '../../src/cli/install-lock.ts';
import { locateCli } from '../../src/cli/locate.ts';
import { platformBuild } from '../../src/cli/npm-package.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { CliInstallError } from '../../src/errors/start.ts';
import { AbortError } from '../../src/errors/stream.ts';
import { program, put, temporaryFolder } from '../fixtures/cli/files.ts';
import { integrityOf, type Registry, type Release, startRegistry, tarballOf } from '../fixtures/cli/registry.ts';

const BUILD = platformBuild(process.platform).id;
const NAME = `@anthropic-ai/claude-code-${BUILD}`;
const CLAUDE = '#!/bin/sh\necho 9.9.9\n';
const version = '9.9.9';

function release(more: Partial<Release> = {}): Release {
  const number = more.version ?? version;
  const manifest = JSON.stringify({ name: NAME, version: number });
  return { name: NAME, version: number, files: { claude: CLAUDE, 'package.json': manifest }, ...more };
}

/** An npm environment without the configuration of this machine, except a registry. */
function npmEnv(registry: string): Record<string, string> {
  const home = temporaryFolder();
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    npm_config_registry: registry,
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_userconfig: join(home, '.npmrc'),
    npm_config_fetch_retries: '0',
  };
}

interface Setup {
  readonly registry: Registry;
  readonly cacheDir: string;
  readonly env: Record<string, string>;
}

async function setUp(...releases: readonly Release[]): Promise<Setup> {
  const registry = await startRegistry(...(releases.length > 0 ? releases : [release()]));
  return { registry, cacheDir: temporaryFolder(), env: npmEnv(registry.url) };
}

async function failure({
  timeoutMs = 60_000,
  ...options
}: InstallCliOptions & { timeoutMs?: number }): Promise<CliInstallError> {
  const outcome: unknown = await installWithin(timeoutMs, options).catch((error: unknown) => error);
  if (outcome instanceof CliInstallError) return outcome;
  throw new Error(`expected a CliInstallError, got ${String(outcome)}`);
}

/** The remains in the cache besides finished installs. */
function leftovers(cacheDir: string): string[] {
  return readdirSync(join(cacheDir, 'cli')).filter((name) => name !== `${version}-${BUILD}`);
}

describe('installing the pinned CLI', () => {
  it('[C-2] fetches the platform package from the configured registry, reports progress, and runs no install script', async () => {
    const mark = join(temporaryFolder(), 'ran');
    const scripts = Object.fromEntries(
      ['preinstall', 'install', 'postinstall', 'prepare', 'prepack'].map((name) => [name, `touch ${mark}`]),
    );
    const files = { claude: CLAUDE, 'package.json': JSON.stringify({ name: NAME, version, scripts }) };
    const { registry, cacheDir, env } = await setUp(release({ files }));
    const progress: InstallProgress[] = [];
    const installed = await installCli({ version, cacheDir, env, onProgress: (step) => progress.push(step) });
    expect(installed).toEqual({ path: join(cacheDir, 'cli', `${version}-${BUILD}`, 'claude'), version });
    expect(spawnSync(installed.path, { encoding: 'utf8' }).stdout).toBe('9.9.9\n');
    expect(new Set(progress.map(({ phase }) => phase))).toEqual(
      new Set(['resolving', 'downloading', 'unpacking', 'done']),
    );
    const size = tarballOf(files).length;
    expect(progress).toContainEqual({ phase: 'unpacking', receivedBytes: size, totalBytes: size });
    expect(registry.downloads()).toBe(1);
    expect(leftovers(cacheDir)).toEqual([]);
    expect(existsSync(mark)).toBe(false);
  });

  it('[C-2] makes it accessible only to this user', async () => {
    const { cacheDir, env } = simpleNpm();
    const { path } = await installCli({ version, cacheDir, env });
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it('[C-2] needs no network the second time', async () => {
    const { cacheDir, env, downloads } = simpleNpm();
    const first = await installCli({ version, cacheDir, env });
    expect(await installCli({ version, cacheDir, env: {} })).toEqual(first);
    expect(downloads()).toBe(1);
  });

  it('[C-2] lists it with its size, and as damaged if its file was changed', async () => {
    const { cacheDir, env } = simpleNpm();
    expect(await installedClis({ cacheDir })).toEqual([]);
    const { path } = await installCli({ version, cacheDir, env });
    const bytes = statSync(path).size;
    expect(await installedClis({ cacheDir })).toEqual([{ version, path, bytes, intact: true }]);
    writeFileSync(path, 'changed');
    expect(await installedClis({ cacheDir })).toEqual([{ version, path, bytes: 7, intact: false }]);
    expect(await installCli({ version, cacheDir, env })).toEqual({ version, path });
    expect(await installedClis({ cacheDir })).toEqual([{ version, path, bytes, intact: true }]);
  });

  it("[C-2] honours the user's npm configuration, but not that of the project around it", async () => {
    const { registry, cacheDir, env } = await setUp();
    const { npm_config_registry: _, ...rest } = env;
    const host = new URL(registry.url).host;
    writeFileSync(join(rest.HOME ?? '', '.npmrc'), `registry=${registry.url}\n//${host}/:_authToken=very-secret\n`);
    put(join(cacheDir, 'package.json'), '{}', 0o644);
    put(join(cacheDir, '.npmrc'), 'registry=http://127.0.0.1:9\n', 0o644);
    await installCli({ version, cacheDir, env: rest });
    expect(registry.authorizations).toEqual(new Set(['Bearer very-secret']));
  });

  it('[C-2] accepts any exact version, also through locateCli and inspectCli', async () => {
    const tarball = tarballOf(release({ version: '2.1.197' }).files);
    const { env } = fakeNpm(tarball, integrityOf(tarball));
    const host = {
      env: { ...env, HOME: temporaryFolder(), XDG_CACHE_HOME: temporaryFolder() },
      platform: process.platform,
    };
    const found = await locateCli({ cli: 'pinned', cliVersion: '2.1.197' }, host);
    expect(found).toMatchObject({ source: 'pinned', packageVersion: '2.1.197', command: [found.path] });
    const inspection = await inspectCli({ cli: 'pinned', cliVersion: '2.1.197' }, host);
    expect(inspection).toMatchObject({ found: { path: found.path }, version: { version: '2.1.197' } });
  });

  it('[C-2] uses built-in hashes of the pinned tarballs', () => {
    expect(knownIntegrity(PINNED_VERSION, BUILD)).toMatch(/^sha512-.{86}==$/);
    expect(knownIntegrity('2.1.197', BUILD)).toBeUndefined();
  });
});

describe('a damaged install', () => {
  it.each([
    ['truncated', (path: string) => truncateSync(path, 5)],
    [
      'changed at the same length',
      (path: string) => {
        writeFileSync(path, CLAUDE.replace('9.9.9', '6.6.6'));
        // Some file systems give two files within a few milliseconds the same time.
        utimesSync(path, 1_000_000, 1_000_000);
      },
    ],
    ['without its record', (path: string) => writeFileSync(join(dirname(path), 'install.json'), '{')],
  ])('[C-2] is repaired if it was %s', async (_what, damage) => {
    const { cacheDir, env, downloads } = simpleNpm();
    const { path } = await installCli({ version, cacheDir, env });
    damage(path);
    await installCli({ version, cacheDir, env });
    expect(readFileSync(path, 'utf8')).toBe(CLAUDE);
    expect(downloads()).toBe(2);
    expect(leftovers(cacheDir)).toEqual([]);
  });

  it('[C-2] differs from a copied or touched install', async () => {
    const { cacheDir, env, downloads } = simpleNpm();
    const { path } = await installCli({ version, cacheDir, env });
    utimesSync(path, 1_000_000, 1_000_000);
    expect(await installCli({ version, cacheDir, env })).toEqual({ path, version });
    expect(downloads()).toBe(1);
  });
});

describe('several concurrent installers', () => {
  it('[C-2] make one install, in one process', async () => {
    const { cacheDir, env, downloads } = simpleNpm();
    const phases: string[] = [];
    const onProgress = ({ phase }: InstallProgress): number => phases.push(phase);
    const all = await Promise.all([1, 2, 3].map(() => installCli({ version, cacheDir, env, onProgress })));
    expect(new Set(all.map(({ path }) => path)).size).toBe(1);
    expect(downloads()).toBe(1);
    expect(phases.filter((phase) => phase === 'waiting')).toHaveLength(2);
  });

  it('[C-2] make one install, in several processes', async () => {
    const { cacheDir, env, downloads } = simpleNpm({ seconds: 1 });
    const outputs = await Promise.all([1, 2].map(() => installInOtherProcess(cacheDir, env)));
    expect(outputs[0]).toEqual(outputs[1]);
    expect(existsSync(outputs[0]?.path ?? '')).toBe(true);
    expect(downloads()).toBe(1);
    expect(leftovers(cacheDir)).toEqual([]);
  });

  it('[C-2] do not wait for a dead one, and remove its remains', async () => {
    const { cacheDir, env } = simpleNpm();
    const folder = join(cacheDir, 'cli', `${version}-${BUILD}`);
    const { pid } = spawnSync('true');
    put(join(`${folder}.lock`, 'owner.json'), JSON.stringify({ pid, space: pidSpace() }), 0o600);
    put(join(`${folder}.draft-abc`, 'claude'), 'half a file');
    await installCli({ version, cacheDir, env });
    expect(leftovers(cacheDir)).toEqual([]);
  });

  it('[C-2] wait for one that runs in another container with the same host name and an invisible pid', async () => {
    const { cacheDir, env } = simpleNpm();
    const lock = join(cacheDir, 'cli', `${version}-${BUILD}.lock`);
    const { pid } = spawnSync('true');
    const owner = { pid, host: hostname(), space: `${pidSpace()} of another namespace` };
    put(join(lock, 'owner.json'), JSON.stringify(owner), 0o600);
    const error = await failure({ version, cacheDir, env, timeoutMs: 200 });
    expect(error.message).toContain(lock);
    expect(JSON.parse(readFileSync(join(lock, 'owner.json'), 'utf8'))).toEqual(owner);
  });

  it('[C-2] take over from an unresponsive one on another machine', async () => {
    const { cacheDir, env } = simpleNpm();
    const lock = join(cacheDir, 'cli', `${version}-${BUILD}.lock`);
    put(join(lock, 'owner.json'), JSON.stringify({ pid: process.pid, space: 'elsewhere' }), 0o600);
    utimesSync(lock, 1_000_000, 1_000_000);
    await installCli({ version, cacheDir, env });
    expect(leftovers(cacheDir)).toEqual([]);
  });

  it('[C-2] wait for a running one, but only for a limited time', async () => {
    const { cacheDir, env } = simpleNpm();
    const lock = join(cacheDir, 'cli', `${version}-${BUILD}.lock`);
    put(join(lock, 'owner.json'), JSON.stringify({ pid: process.pid, space: 'elsewhere' }), 0o600);
    const error = await failure({ version, cacheDir, env, timeoutMs: 200 });
    expect(error.message).toContain(lock);
    expect(existsSync(lock)).toBe(true);
  });
});

describe('a failed install', () => {
  it('[C-2] reports an unreachable registry with advice', async () => {
    const { registry, cacheDir, env } = await setUp();
    await registry.close();
    const error = await failure({ version, cacheDir, env });
    expect(error).toMatchObject({ version, directory: join(cacheDir, 'cli', `${version}-${BUILD}`) });
    expect(error.message).toMatch(/ECONNREFUSED[\s\S]*proxy/);
    expect(error.cause).toBeInstanceOf(Error);
    expect(leftovers(cacheDir)).toEqual([]);
  });

  it('[C-2] reports a missing version', async () => {
    const { cacheDir, env } = await setUp();
    const error = await failure({ version: '9.9.8', cacheDir, env });
    expect(error.message).toContain(`no ${NAME}@9.9.8`);
  });

  it('[C-2] refuses a tarball that does not match the hash of the registry', async () => {
    const { cacheDir, env } = await setUp(release({ claimedIntegrity: integrityOf(Buffer.from('another')) }));
    const error = await failure({ version, cacheDir, env });
    expect(error.message).toMatch(/integrity|EINTEGRITY/i);
    expect(leftovers(cacheDir)).toEqual([]);
    expect(existsSync(error.directory)).toBe(false);
  });

  it('[C-2] refuses a wrong tarball even if npm accepts it', async () => {
    const { env, cacheDir } = fakeNpm(tarballOf(release().files), integrityOf(Buffer.from('another')));
    const error = await failure({ version, cacheDir, env });
    expect(error.message).toContain('is not the published one');
    expect(existsSync(error.directory)).toBe(false);
  });

  it('[C-2] refuses another build of the pinned version, whatever the registry claims', async () => {
    const tarball = tarballOf(release({ version: PINNED_VERSION }).files);
    const { cacheDir, env } = fakeNpm(tarball, integrityOf(tarball));
    const error = await failure({ cacheDir, env });
    expect(error.message).toContain('is not the published one');
    expect(existsSync(error.directory)).toBe(false);
  });

  it.each([
    ['no binary', { 'package.json': JSON.stringify({ version }) }, 'contains no file claude'],
    ['another version', { claude: CLAUDE, 'package.json': '{"version":"1.1.1"}' }, 'a different version'],
  ])('[C-2] refuses a package with %s', async (_what, files, words) => {
    const tarball = tarballOf(files);
    const error = await failure({ version, ...fakeNpm(tarball, integrityOf(tarball)) });
    expect(error.message).toContain(words);
  });

  it('[C-2] refuses a truncated tarball', async () => {
    const whole = tarballOf(release().files);
    const tarball = whole.subarray(0, whole.length - 40);
    const error = await failure({ version, ...fakeNpm(tarball, integrityOf(tarball)) });
    expect(error.cause).toBeInstanceOf(Error);
    expect(existsSync(error.directory)).toBe(false);
  });

  it('[C-2] is ended by the signal, together with its processes', async () => {
    const { env, cacheDir, pid } = hangingNpm();
    const abort = new AbortController();
    const outcome = installCli({ version, cacheDir, env, signal: abort.signal }).catch((error: unknown) => error);
    const npm = await vi.waitFor(pid, { timeout: 15_000, interval: 10 });
    abort.abort(new Error('enough'));
    expect(await outcome).toBeInstanceOf(AbortError);
    expect(await outcome).toMatchObject({ cause: { message: 'enough' } });
    await vi.waitFor(() => expect(() => process.kill(npm, 0)).toThrow('ESRCH'), { timeout: 15_000, interval: 10 });
    expect(leftovers(cacheDir)).toEqual([]);
  });

  it('[C-2] waits for npm only for a limited time', async () => {
    const { env, cacheDir } = hangingNpm();
    const error = await failure({ version, cacheDir, env, timeoutMs: 300 });
    expect(error.message).toContain('did not exit within 300 ms');
    expect(leftovers(cacheDir)).toEqual([]);
  });

  it('[C-2] does not depend on a progress listener that throws or rejects', async () => {
    const listener = (): never => {
      throw new Error('listener');
    };
    for (const onProgress of [listener, async () => listener()]) {
      const tarball = tarballOf(release().files);
      await installCli({ version, ...fakeNpm(tarball, integrityOf(tarball)), onProgress });
      await new Promise(setImmediate);
    }
  });

  it('[C-2] reports a cache that cannot be written', async () => {
    const cacheDir = put(join(temporaryFolder(), 'a-file'), '');
    const error = await failure({ version, cacheDir, env: {} });
    expect(error.cause).toMatchObject({ code: 'ENOTDIR' });
  });

  it.each(['latest', '^2.1.0', '../../../etc', '2.1'])('[C-2] refuses an inexact version: %s', async (inexact) => {
    const error = await failure({ version: inexact, cacheDir: temporaryFolder(), env: {} });
    expect(error.message).toContain('exact version');
  });
});

interface FakeNpm {
  readonly cacheDir: string;
  readonly env: Record<string, string>;
  readonly downloads: () => number;
}

/** An npm that has the release, without a registry, for tests of the installer itself. */
function simpleNpm(takes: { readonly seconds?: number } = {}): FakeNpm {
  const tarball = tarballOf(release().files);
  return fakeNpm(tarball, integrityOf(tarball), takes);
}

/** An npm without checks, for faults that the real npm would detect itself. */
function fakeNpm(tarball: Uint8Array, integrity: string, { seconds = 0 } = {}): FakeNpm {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'tarball'), tarball);
  const pack = `/bin/sleep ${seconds} && /bin/cp ${folder}/tarball claude.tgz && echo >> ${folder}/downloads`;
  put(join(folder, 'npm'), `#!/bin/sh\ncase $1 in\nview) echo '"${integrity}"' ;;\npack) ${pack} ;;\nesac\n`);
  const downloads = (): number => readFileSync(join(folder, 'downloads')).length;
  return { cacheDir: temporaryFolder(), env: { PATH: folder }, downloads };
}

function hangingNpm(): { cacheDir: string; env: Record<string, string>; pid: () => number } {
  const folder = temporaryFolder();
  put(
    join(folder, 'npm'),
    `#!/bin/sh\necho $$ > ${folder}/pid.draft && /bin/mv ${folder}/pid.draft ${folder}/pid\nexec /bin/sleep 300\n`,
  );
  const pid = (): number => Number(readFileSync(join(folder, 'pid'), 'utf8'));
  return { cacheDir: temporaryFolder(), env: { PATH: folder }, pid };
}

async function installInOtherProcess(cacheDir: string, env: Record<string, string>): Promise<{ path: string }> {
  const args = ['--import', 'tsx', program('install-once.ts'), cacheDir, version];
  return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout);
}
