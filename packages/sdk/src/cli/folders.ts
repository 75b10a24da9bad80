import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

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

/** The user's home folder; `undefined` if it cannot be determined. */
export function homeFolder(env: Environment, platform: string): string | undefined {
  const named = platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (named && isAbsolute(named)) return named;
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** The cache folder of this library; `undefined` without a home folder. */
export function cacheFolder(env: Environment, platform: string): string | undefined {
  const named = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME;
  if (named && isAbsolute(named)) return join(named, 'coxswain');
  const home = homeFolder(env, platform);
  if (home === undefined) return undefined;
  if (platform === 'win32') return join(home, 'AppData', 'Local', 'coxswain');
  return join(home, platform === 'darwin' ? 'Library/Caches' : '.cache', 'coxswain');
}

/** The CLI's configuration directory in an environment; `undefined` without a home folder. */
export function configFolder(env: Environment): string | undefined {
  if (env.CLAUDE_CONFIG_DIR) return resolve(env.CLAUDE_CONFIG_DIR);
  const home = homeFolder(env, process.platform);
  return home === undefined ? undefined : join(home, '.claude');
}

/** Folders with the user's configuration. In all others the CLI writes parts of conversations, such as plans. */
const CONFIGURATION: ReadonlySet<string> = new Set(
  'agents commands skills plugins output-styles rules hooks themes'.split(' '),
);

/** Files that are not copied as they are: prompts of other conversations, and files handled separately. */
const NOT_COPIED: ReadonlySet<string> = new Set(['history.jsonl', '.claude.json', '.credentials.json']);

/** True for a file or folder of the configuration directory that a private one takes over as it is. */
export function isConfiguration(name: string, isFolder: boolean): boolean {
  return isFolder ? CONFIGURATION.has(name) : !NOT_COPIED.has(name);
}

/** The CLI truncates longer names and appends a hash. */
const LONGEST_NAME = 200;

/** The name of the folder where the CLI stores the sessions of a working directory; measured on 2.1.325 and 2.1.197. */
export function projectFolderName(cwd: string): string {
  const real = realPathOf(cwd);
  const name = real.replace(/[^a-zA-Z0-9]/g, '-');
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}-${hashOf(real)}`;
}

/** Sessions may remain after their directory was removed. */
function realPathOf(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return resolve(cwd);
  }
}

function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return Math.abs(hash).toString(36);
}
