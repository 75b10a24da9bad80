import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { detectVersion, forgetVersions } from '../../src/cli/detect-version.ts';
import { type FoundCli, locateCli } from '../../src/cli/locate.ts';
import type { RunOptions } from '../../src/cli/run-program.ts';
import { program, put, putPackage, temporaryCache, temporaryFolder } from '../fixtures/cli/files.ts';

beforeEach(() => forgetVersions());

const locate = (cli: string): Promise<FoundCli> => locateCli({ cli }, { env: {}, platform: process.platform });

function settings(more: Partial<RunOptions> = {}): RunOptions & { cacheDir: string } {
  return { env: { PATH: process.env.PATH ?? '' }, timeoutMs: 5_000, ...more, cacheDir: temporaryCache() };
}

async function ask(name: string, more: Partial<RunOptions> = {}): ReturnType<typeof detectVersion> {
  return detectVersion(await locate(program(name)), settings(more));
}

describe('asking the CLI for its version', () => {
  it("[C-4] runs --version with the run's own cwd and environment", async () => {
    const cwd = temporaryFolder();
    const record = join(cwd, 'record');
    const env = { PATH: process.env.PATH ?? '', FAKE_VERSION: 'v3.4.5-rc.1', FAKE_RECORD: record, FAKE_MARK: 'mine' };
    expect(await ask('prints-version', { cwd, env })).toEqual({ kind: 'found', version: '3.4.5', source: 'probe' });
    expect(readFileSync(record, 'utf8')).toBe(`${cwd}|--version|mine\n`);
  });

  it('[C-4] runs --version each time for a script', async () => {
    const record = join(temporaryFolder(), 'record');
    const options = settings({ env: { PATH: process.env.PATH ?? '', FAKE_RECORD: record } });
    const cli = await locate(program('prints-version'));
    for (const _ of [1, 2]) expect(await detectVersion(cli, options)).toMatchObject({ source: 'probe' });
    expect(readFileSync(record, 'utf8').trim().split('\n')).toHaveLength(2);
    expect(existsSync(options.cacheDir)).toBe(false);
  });

  it('[C-4] runs a JavaScript CLI with the current Node', async () => {
    const file = put(join(temporaryFolder(), 'cli.mjs'), 'console.log(process.version, process.argv.at(-1))', 0o644);
    expect(await detectVersion(await locate(file), settings())).toEqual({
      kind: 'found',
      version: process.version.slice(1),
      source: 'probe',
    });
  });

  it('[C-4] distinguishes output without a version from no output', async () => {
    const env = { PATH: process.env.PATH ?? '', FAKE_VERSION: 'soon' };
    expect(await ask('prints-version', { env })).toEqual({ kind: 'unparseable', output: 'soon (Claude Code)\n' });
  });

  it('[C-4] keeps only the start of a flood', async () => {
    const finding = await ask('floods');
    expect(finding.kind).toBe('unparseable');
    expect(JSON.stringify(finding).length).toBeLessThan(10_000);
  });

  it('[C-4, C-10] reports a failure with its exit code and output, without secrets', async () => {
    const env = { PATH: process.env.PATH ?? '', FAKE_API_KEY: 'hunter2-hunter2' };
    expect(await ask('fails', { env })).toEqual({
      kind: 'failed',
      reason: '--version exited with code 3: no licence for [redacted]',
    });
  });

  it('[C-4] reports a CLI that cannot be started', async () => {
    const cli = await locate(put(join(temporaryFolder(), 'claude'), '#!/no/such/interpreter\n'));
    expect(await detectVersion(cli, settings())).toEqual({
      kind: 'failed',
      reason: expect.stringContaining('could not be started'),
    });
  });

  it('[C-4] kills a hanging CLI and its children after the timeout', async () => {
    const record = join(temporaryFolder(), 'pids');
    const env = { PATH: process.env.PATH ?? '', FAKE_RECORD: record };
    const reason = '--version did not exit within 1000 ms';
    expect(await ask('hangs', { timeoutMs: 1_000, env })).toEqual({ kind: 'failed', reason });
    await allGone(pidsIn(record));
  });

  it('[C-4] kills the CLI immediately when the signal is aborted', async () => {
    const record = join(temporaryFolder(), 'pids');
    const env = { PATH: process.env.PATH ?? '', FAKE_RECORD: record };
    const abort = new AbortController();
    const finding = ask('hangs', { signal: abort.signal, env });
    await vi.waitFor(() => expect(pidsIn(record)).toHaveLength(2), { timeout: 15_000, interval: 10 });
    abort.abort();
    expect(await finding).toEqual({ kind: 'failed', reason: '--version was aborted' });
    await allGone(pidsIn(record));
  });

  it('[C-4] starts nothing if the signal is already aborted', async () => {
    const record = join(temporaryFolder(), 'pids');
    const env = { PATH: process.env.PATH ?? '', FAKE_RECORD: record };
    expect(await ask('hangs', { env, signal: AbortSignal.abort() })).toMatchObject({ kind: 'failed' });
    expect(existsSync(record)).toBe(false);
  });

  it('[C-4] kills processes that the CLI leaves without waiting for them', async () => {
    const record = join(temporaryFolder(), 'pids');
    const env = { PATH: process.env.PATH ?? '', FAKE_RECORD: record };
    expect(await ask('leaves-a-child', { env })).toMatchObject({ kind: 'found', version: '2.1.300' });
    await allGone(pidsIn(record));
  });

  it('[C-4, R-4] leaves no listener', async () => {
    const { signal } = new AbortController();
    const before = ['exit', 'SIGINT', 'SIGTERM'].map((name) => process.listenerCount(name));
    await ask('prints-version', { signal });
    await ask('fails', { signal });
    expect(['exit', 'SIGINT', 'SIGTERM'].map((name) => process.listenerCount(name))).toEqual(before);
  });
});

describe('the version of an npm package', () => {
  it('[C-4] is that of its CLI, so that no process is started', async () => {
    const folder = join(temporaryFolder(), '@anthropic-ai/claude-code');
    putPackage(folder, { version: '2.0.7' }, { 'cli.js': 'throw 1' });
    expect(await detectVersion(await locate(join(folder, 'cli.js')), settings())).toEqual({
      kind: 'found',
      version: '2.0.7',
      source: 'package.json',
    });
  });
});

describe('the version cache of binaries', () => {
  /** A real binary that answers --version with a number of three parts. */
  async function binary(): Promise<FoundCli> {
    const path = join(temporaryFolder(), 'claude');
    copyFileSync('/bin/bash', path);
    return locate(path);
  }

  it('[C-4] is used the second time, even in another process', async () => {
    const cli = await binary();
    const options = settings();
    const first = await detectVersion(cli, options);
    expect(first).toEqual({ kind: 'found', version: expect.stringMatching(/^\d+\.\d+\.\d+$/), source: 'probe' });
    expect(await detectVersion(cli, options)).toEqual({ ...first, source: 'cache' });
    forgetVersions();
    expect(await detectVersion(cli, options)).toEqual({ ...first, source: 'cache' });
  });

  it('[C-4] ignores an entry if the time or size of the file has changed', async () => {
    const cli = await binary();
    const options = settings();
    await detectVersion(cli, options);
    utimesSync(cli.path, 1_000_000, 1_000_000);
    expect(await detectVersion(await locate(cli.path), options)).toMatchObject({ source: 'probe' });
    const { mtimeMs } = await locate(cli.path);
    writeFileSync(cli.path, Buffer.concat([readFileSync(cli.path), Buffer.alloc(1)]));
    utimesSync(cli.path, mtimeMs / 1_000, mtimeMs / 1_000);
    expect(await detectVersion(await locate(cli.path), options)).toMatchObject({ source: 'probe' });
  });

  it.each([
    ['that cannot be made', (cacheDir: string) => writeFileSync(cacheDir, 'a file in its place')],
    ['that others can write to', (cacheDir: string) => chmodSync(join(cacheDir, 'versions'), 0o777)],
    ['whose entry others can read', (cacheDir: string) => chmodSync(entryIn(cacheDir), 0o644)],
    ['whose entry is a link', (cacheDir: string) => symlinkEntry(cacheDir)],
    ['whose entry is damaged', (cacheDir: string) => writeFileSync(entryIn(cacheDir), '{"version":')],
  ])('[C-4] causes only another probe if it is a folder %s', async (what, spoil) => {
    const cli = await binary();
    const options = settings();
    if (what !== 'that cannot be made') await detectVersion(cli, options);
    forgetVersions();
    spoil(options.cacheDir);
    expect(await detectVersion(cli, options)).toMatchObject({ kind: 'found', source: 'probe' });
  });
});

function entryIn(cacheDir: string): string {
  const folder = join(cacheDir, 'versions');
  return join(folder, readdirSync(folder)[0] ?? '');
}

function symlinkEntry(cacheDir: string): void {
  const entry = entryIn(cacheDir);
  renameSync(entry, `${entry}.real`);
  symlinkSync(`${entry}.real`, entry);
}

function pidsIn(record: string): number[] {
  return readFileSync(record, 'utf8').trim().split(' ').map(Number);
}

/** Waits for the exits: the kernel may execute a kill shortly after the answer. */
async function allGone(pids: readonly number[]): Promise<void> {
  expect(pids.length).toBeGreaterThan(0);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 15_000, interval: 10 });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie counts as dead.
  const status = `/proc/${pid}/status`;
  return !existsSync(status) || !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
}
