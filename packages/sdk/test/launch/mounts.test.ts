import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mountsOf } from '../../src/launch/mounts.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'cox-mounts-')));
afterAll(() => rmSync(root, { recursive: true }));
const at = (...names: string[]): string => join(root, ...names);
for (const path of ['work/sub/deep', 'other', 'work/tools']) mkdirSync(at(path), { recursive: true });
symlinkSync(at('work'), at('alias'));
symlinkSync(at('work/tools'), at('tools'));
symlinkSync(at('other'), at('work/out'));
symlinkSync('../../other', at('work/sub/out'));

describe('the folders of an isolated CLI', () => {
  it('[C-14] have a given path and a real one, without links', () => {
    const { writable } = mountsOf({ readable: [], writable: [at('alias')] });
    expect(writable).toEqual([{ path: at('alias'), real: at('work') }]);
  });

  it.each([
    ['a folder', ['work/out']],
    ['a folder of it', ['work/sub/out']],
    ['another path of it', ['alias/out']],
  ])('[C-14] are refused through a link in %s that the CLI can change', (_, [path = '']) => {
    const refused = /is a link in a folder that the CLI can change/;
    expect(() => mountsOf({ readable: [at(path)], writable: [at('work')] })).toThrow(refused);
    expect(() => mountsOf({ readable: [], writable: [at('work'), at(path)] })).toThrow(refused);
    expect(() => mountsOf({ readable: [], writable: [at(path), at('work')] })).toThrow(refused);
  });

  it('[C-14] are not mounted below others that the CLI can change, where it could replace them meanwhile', () => {
    const mounts = mountsOf({ readable: [at('work/tools'), at('tools')], writable: [at('work/sub/deep'), at('work')] });
    expect(mounts.readable).toEqual([]);
    expect(mounts.writable).toEqual([{ path: at('work'), real: at('work') }]);
    expect(mounts.aliases).toEqual([{ path: at('tools'), real: at('work/tools') }]);
  });

  it('[C-14] are neither the root nor missing', () => {
    expect(() => mountsOf({ readable: ['/usr/..'], writable: [] })).toThrow(/root of the file system/);
    expect(() => mountsOf({ readable: [at('missing')], writable: [] })).toThrow(/missing cannot be given .*ENOENT/);
  });
});
