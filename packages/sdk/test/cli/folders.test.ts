import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheFolder, usualFolders } from '../../src/cli/folders.ts';

describe('the usual locations of the CLI', () => {
  it('[C-1] are searched in this order', () => {
    expect(usualFolders('linux', '/home/me')).toEqual([
      '/home/me/.claude/local',
      '/home/me/.local/bin',
      '/home/me/.npm-global/bin',
      '/usr/local/bin',
      '/home/me/node_modules/.bin',
      '/home/me/.yarn/bin',
      '/home/me/.bun/bin',
      '/opt/homebrew/bin',
    ]);
  });

  it('[C-1] are only the shared folders without a home folder', () => {
    expect(usualFolders('linux', undefined)).toEqual(['/usr/local/bin', '/opt/homebrew/bin']);
  });
});

describe('the cache folder', () => {
  it.each([
    ['linux', { HOME: '/h' }, '/h/.cache/coxswain'],
    ['linux', { HOME: '/h', XDG_CACHE_HOME: '/x' }, '/x/coxswain'],
    ['linux', { HOME: '/h', XDG_CACHE_HOME: 'relative' }, '/h/.cache/coxswain'],
    ['darwin', { HOME: '/h' }, '/h/Library/Caches/coxswain'],
    ['win32', { USERPROFILE: '/u', LOCALAPPDATA: '/l' }, '/l/coxswain'],
    ['win32', { USERPROFILE: '/u' }, '/u/AppData/Local/coxswain'],
  ])('[C-2] on %s with %j is %s', (platform, env, folder) => {
    expect(cacheFolder(env, platform)).toBe(join(folder));
  });
});
