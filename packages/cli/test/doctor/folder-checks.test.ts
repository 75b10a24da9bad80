import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheFolder } from '../../../sdk/src/cli/folders.ts';
import { cacheIn } from '../../src/doctor/folder-checks.ts';

describe('the cache that the doctor checks', () => {
  it.each([
    ['linux', {}],
    ['linux', { XDG_CACHE_HOME: '/var/cache/me' }],
    ['darwin', {}],
    ['win32', {}],
    ['win32', { LOCALAPPDATA: '/Users/me/AppData/Local', XDG_CACHE_HOME: '/elsewhere' }],
  ])('[L-1] is the one that the SDK uses: %s %j', (platform, env) => {
    expect(cacheIn(homedir(), env, platform)).toBe(cacheFolder(env, platform));
    expect(cacheIn(homedir(), {}, 'win32')).toBe(join(homedir(), 'AppData', 'Local', 'coxswain'));
  });
});
