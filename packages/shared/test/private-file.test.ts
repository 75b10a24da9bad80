import { chmodSync, lstatSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isPrivate } from '../src/private-file.ts';

describe.skipIf(process.platform === 'win32')('isPrivate', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coxswain-private-'));
  });

  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  it('accepts a folder and a file that only this user can read', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '', { mode: 0o600 });
    expect(isPrivate(lstatSync(folder), 'folder')).toBe(true);
    expect(isPrivate(lstatSync(file), 'file')).toBe(true);
  });

  it('rejects a folder instead of a file, and a link instead of a folder', () => {
    const link = join(folder, 'link');
    symlinkSync(folder, link);
    expect(isPrivate(lstatSync(folder), 'file')).toBe(false);
    expect(isPrivate(lstatSync(link), 'folder')).toBe(false);
  });

  it('rejects a folder that others can read', () => {
    chmodSync(folder, 0o750);
    expect(isPrivate(lstatSync(folder), 'folder')).toBe(false);
  });

  it('rejects a folder of another user', () => {
    const stats = lstatSync(folder);
    vi.spyOn(process, 'getuid').mockReturnValue(stats.uid + 1);
    expect(isPrivate(stats, 'folder')).toBe(false);
  });
});
