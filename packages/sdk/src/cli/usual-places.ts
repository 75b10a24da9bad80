import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const POSIX_FOLDERS = [
  '~/.claude/local',
  '~/.local/bin',
  '~/.npm-global/bin',
  '/usr/local/bin',
  '~/node_modules/.bin',
  '~/.yarn/bin',
  '~/.bun/bin',
  '/opt/homebrew/bin',
];

const WINDOWS_FOLDERS = ['~/.claude/local', '~/.local/bin', '~/AppData/Roaming/npm', '~/.bun/bin'];

/** Folders outside PATH where installers put the CLI, in search order. */
export function usualFolders(platform: string, home: string | undefined): string[] {
  return (platform === 'win32' ? WINDOWS_FOLDERS : POSIX_FOLDERS).flatMap((folder) => {
    if (!folder.startsWith('~/')) return [folder];
    return home === undefined ? [] : [join(home, folder.slice(2))];
  });
}

/** The user's home folder; `undefined` when it is not known. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>, platform: string): string | undefined {
  const named = platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (named && isAbsolute(named)) return named;
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** The cache folder of this library; `undefined` without a home folder. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>, platform: string): string | undefined {
  const named = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME;
  if (named && isAbsolute(named)) return join(named, 'coxswain');
  const home = homeFolder(env, platform);
  if (home === undefined) return undefined;
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'coxswain');
  return join(home, platform === 'darwin' ? 'Library/Caches' : '.cache', 'coxswain');
}
