import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cachedVersion, forgetVersions, rememberVersion } from '../../src/cli/detect-version.ts';
import { temporaryCache } from '../fixtures/cli/files.ts';

const binary = { path: '/opt/claude', kind: 'native', size: 7, mtimeMs: 8.5 } as const;

beforeEach(() => forgetVersions());

describe('the version cache', () => {
  it('[C-4] stores the version reported by a run, for this process and later ones', () => {
    temporaryCache();
    rememberVersion(binary, '2.1.300');
    expect(cachedVersion(binary)).toBe('2.1.300');
    forgetVersions();
    expect(cachedVersion(binary)).toBe('2.1.300');
  });

  it('[C-4] replaces an older entry', () => {
    temporaryCache();
    rememberVersion(binary, '2.1.300');
    rememberVersion(binary, '2.1.301');
    forgetVersions();
    expect(cachedVersion(binary)).toBe('2.1.301');
  });

  it('[C-4] does not store versions of scripts', () => {
    const cacheDir = temporaryCache();
    rememberVersion({ ...binary, kind: 'script' }, '2.1.300');
    expect(cachedVersion({ ...binary, kind: 'script' })).toBeUndefined();
    expect(existsSync(cacheDir)).toBe(false);
  });

  it.each([{ path: '/opt/other' }, { size: 6 }, { mtimeMs: 8 }])(
    '[C-4] has no answer for another file: %j',
    (change) => {
      temporaryCache();
      rememberVersion(binary, '2.1.300');
      forgetVersions();
      expect(cachedVersion({ ...binary, ...change })).toBeUndefined();
    },
  );

  it('[C-4] is accessible only to this user, and leaves no draft', () => {
    const cacheDir = temporaryCache();
    rememberVersion(binary, '2.1.300');
    const folder = join(cacheDir, 'versions');
    const files = readdirSync(folder);
    expect(files).toEqual([expect.stringMatching(/\.json$/)]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, files[0] ?? '')).mode & 0o777).toBe(0o600);
  });
});
