import {
  chmodSync,
  chownSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { script, scriptedCli } from '@coxswain/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { cachedVersion, forgetVersions, rememberVersion } from '../../src/cli/detect-version.ts';
import { findPinned } from '../../src/cli/install.ts';
import { platformBuild } from '../../src/cli/npm-package.ts';
import { passPrivateFiles } from '../../src/process/private-files.ts';
import { temporaryCache, temporaryFolder } from '../fixtures/cli/files.ts';
import { requestFor } from '../support/child-runs.ts';
import { waitUntil } from '../support/processes.ts';

const SECRET = 'sk-ant-api03-very-secret-value';
const STRANGER = 65_534;
const asRoot = it.skipIf(process.getuid?.() !== 0);
const longAgo = new Date(Date.now() - 2 * 60 * 60_000);

/** A file outside of the swept folder that must not be lost. */
function victim(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'precious'), 'data');
  return folder;
}

function withTemporary(folder: string): void {
  const earlier = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  onTestFinished(() => {
    if (earlier === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = earlier;
  });
}

describe('private files', () => {
  const request = requestFor(['claude', '--settings', 'PATH'], {
    privateFiles: [{ argvIndex: 2, name: 'settings.json', content: SECRET }],
  });
  const pass = () => passPrivateFiles(request, (warning) => expect.unreachable(warning.message), 'folder');

  it('[C-10] are swept without following a link planted among the folders', () => {
    const shared = temporaryFolder();
    const target = victim();
    withTemporary(shared);
    symlinkSync(target, join(shared, 'coxswain-999999999-abc123'));
    lutimesSync(join(shared, 'coxswain-999999999-abc123'), longAgo, longAgo);
    pass().remove();
    expect(readFileSync(join(target, 'precious'), 'utf8')).toBe('data');
  });

  it('[C-10] are swept without following a link inside a folder', () => {
    const shared = temporaryFolder();
    const target = victim();
    withTemporary(shared);
    const stale = join(shared, 'coxswain-999999999-abc123');
    mkdirSync(stale);
    symlinkSync(target, join(stale, 'inner'));
    utimesSync(stale, longAgo, longAgo);
    pass().remove();
    expect(existsSync(stale)).toBe(false);
    expect(readdirSync(target)).toEqual(['precious']);
  });

  asRoot('[C-10] the folder of another user is not swept', () => {
    const shared = temporaryFolder();
    withTemporary(shared);
    const theirs = join(shared, 'coxswain-999999999-abc123');
    mkdirSync(theirs);
    chownSync(theirs, STRANGER, STRANGER);
    utimesSync(theirs, longAgo, longAgo);
    pass().remove();
    expect(existsSync(theirs)).toBe(true);
  });

  it('[C-10] are in a folder with an unpredictable name, and an existing file in it is never opened', () => {
    const shared = temporaryFolder();
    withTemporary(shared);
    const names = Array.from({ length: 20 }, () => {
      const files = pass();
      const path = files.argv[2] ?? '';
      expect(statSync(path).mode & 0o777).toBe(0o600);
      files.remove();
      return path;
    });
    expect(new Set(names).size).toBe(20);
    for (const path of names) expect(path).toMatch(/coxswain-\d+-\w{6}\/settings\.json$/);
  });
});

describe('the version cache', () => {
  const binary = { path: '/opt/claude', kind: 'native', size: 7, mtimeMs: 8.5 } as const;
  beforeEach(() => forgetVersions());

  /** A cache with one entry, and the paths of its folder and its file. */
  function filled(): { folder: string; file: string } {
    const folder = join(temporaryCache(), 'versions');
    rememberVersion(binary, '2.1.300');
    forgetVersions();
    return { folder, file: join(folder, readdirSync(folder)[0] ?? '') };
  }

  it('[C-4] is not read through a link in place of its folder', () => {
    const { folder } = filled();
    const elsewhere = join(temporaryFolder(), 'versions');
    renameSync(folder, elsewhere);
    symlinkSync(elsewhere, folder);
    expect(cachedVersion(binary)).toBeUndefined();
  });

  it('[C-4] is neither read nor written through a link in place of an entry', () => {
    const { file } = filled();
    const target = join(temporaryFolder(), 'entry.json');
    renameSync(file, target);
    symlinkSync(target, file);
    expect(cachedVersion(binary)).toBeUndefined();
    const before = readFileSync(target, 'utf8');
    rememberVersion(binary, '2.1.301');
    expect(readFileSync(target, 'utf8')).toBe(before);
    forgetVersions();
    expect(cachedVersion(binary)).toBe('2.1.301');
  });

  it.each([
    ['folder', 0o755],
    ['folder', 0o770],
    ['file', 0o644],
    ['file', 0o660],
  ] as const)('[C-4] is not trusted if others can access its %s (%o)', (kind, mode) => {
    const entry = filled();
    chmodSync(entry[kind], mode);
    expect(cachedVersion(binary)).toBeUndefined();
  });

  asRoot.each(['folder', 'file'] as const)('[C-4] is not trusted if its %s belongs to another user', (kind) => {
    const entry = filled();
    chownSync(entry[kind], STRANGER, STRANGER);
    expect(cachedVersion(binary)).toBeUndefined();
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"path":"/opt/claude"}',
    '{"version":7}',
    '\0',
    '{"__proto__":{"version":"9.9.9"}}',
  ])('[C-4, W-8] is ignored if an entry is malformed: %j', (content) => {
    const { file } = filled();
    writeFileSync(file, content);
    expect(cachedVersion(binary)).toBeUndefined();
  });
});

describe('the cache of installed CLIs', () => {
  const version = '9.9.9';
  const { id, binary } = platformBuild(process.platform);

  /** A finished install of `installPinned`. */
  function installed(): { cacheDir: string; folder: string } {
    const cacheDir = temporaryFolder();
    const folder = join(cacheDir, 'cli', `${version}-${id}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const program = join(folder, binary);
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    // Some file systems give two files within a few milliseconds the same time.
    utimesSync(program, 1_000_000, 1_000_000);
    const { size, mtimeMs } = statSync(program);
    const record = { version, package: 'x', integrity: 'x', size, mtimeMs, sha512: 'x' };
    writeFileSync(join(folder, 'install.json'), JSON.stringify(record));
    return { cacheDir, folder };
  }
  const found = async (cacheDir: string) => {
    const copy = await findPinned({ version, cacheDir, env: {} });
    return copy.intact ? { path: copy.path, version: copy.version } : undefined;
  };

  it('[C-2] is used unchanged', async () => {
    const { cacheDir, folder } = installed();
    expect(await found(cacheDir)).toEqual({ path: join(folder, binary), version });
  });

  it('[C-2] is not used through a link in place of the folder', async () => {
    const { cacheDir, folder } = installed();
    const elsewhere = join(temporaryFolder(), 'planted');
    renameSync(folder, elsewhere);
    symlinkSync(elsewhere, folder);
    expect(await found(cacheDir)).toBeUndefined();
  });

  it.each([0o722, 0o777, 0o770])('[C-2] is not used if others can write to the folder (%o)', async (mode) => {
    const { cacheDir, folder } = installed();
    chmodSync(folder, mode);
    expect(await found(cacheDir)).toBeUndefined();
  });

  asRoot('[C-2] nothing is run from the folder of another user', async () => {
    const { cacheDir, folder } = installed();
    chownSync(folder, STRANGER, STRANGER);
    expect(await found(cacheDir)).toBeUndefined();
  });

  it('[C-2] is not used if the binary has another size or content', async () => {
    const { cacheDir, folder } = installed();
    writeFileSync(join(folder, binary), '#!/bin/bash\n');
    expect(await found(cacheDir)).toBeUndefined();
    writeFileSync(join(folder, binary), '#!/bin/zz\n');
    expect(await found(cacheDir)).toBeUndefined();
  });
});

describe('the folder of a scripted CLI', () => {
  it('[K-1, C-10] and its files are not accessible to other users', async () => {
    const shared = temporaryFolder();
    withTemporary(shared);
    await using cli = await scriptedCli(script().otherwise((turn) => turn.say(SECRET)));
    const [folder = ''] = readdirSync(shared);
    expect(statSync(join(shared, folder)).mode & 0o777).toBe(0o700);
    expect(statSync(cli.path).mode & 0o077).toBe(0);
    expect(statSync(join(shared, folder, 'script.json')).mode & 0o077).toBe(0);
  });

  it('[K-1] is swept without following a link planted among stale folders', async () => {
    const shared = temporaryFolder();
    const target = victim();
    withTemporary(shared);
    const planted = join(shared, 'coxswain-scripted-999999999-abc');
    symlinkSync(target, planted);
    lutimesSync(planted, longAgo, longAgo);
    const stale = mkdtempSync(join(shared, 'coxswain-scripted-999999998-'));
    utimesSync(stale, longAgo, longAgo);
    await using _cli = await scriptedCli(script().otherwise((turn) => turn.say('ok')));
    await waitUntil('the stale folder is swept', () => !existsSync(stale));
    expect(readdirSync(target)).toEqual(['precious']);
    rmSync(planted, { force: true });
  });
});
