import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Checks that the folders of the CLI and the SDK are writable. */
export async function folderFindings(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const isWindows = process.platform === 'win32';
  const home = (isWindows ? env.USERPROFILE : env.HOME) || homedir();
  const config = env.CLAUDE_CONFIG_DIR || join(home, '.claude');
  const cache = cacheIn(home, env, process.platform);
  const [inConfig, inCache, inTemp] = await Promise.all([obstacle(config), obstacle(cache), obstacle(tmpdir())]);
  return [
    inConfig === undefined
      ? ok('Configuration', `${config} is writable`)
      : failed(
          'Configuration',
          `${config}: ${inConfig}`,
          'Make it writable, or set CLAUDE_CONFIG_DIR to a folder that is.',
        ),
    inCache === undefined
      ? ok('Cache', `${cache} is writable`)
      : warning(
          'Cache',
          `${cache}: ${inCache}`,
          `Make it writable, or set ${isWindows ? 'LOCALAPPDATA' : 'XDG_CACHE_HOME'}; --cli pinned needs it.`,
        ),
    ...(inTemp === undefined
      ? []
      : [failed('Temporary files', `${tmpdir()}: ${inTemp}`, 'Make it writable, or set TMPDIR to a folder that is.')]),
  ];
}

/** Where `cli: 'pinned'` keeps its copies. */
export function cacheIn(home: string, env: NodeJS.ProcessEnv, platform: string): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'coxswain');
  return join(env.XDG_CACHE_HOME || join(home, platform === 'darwin' ? 'Library/Caches' : '.cache'), 'coxswain');
}

/** Why a folder is not writable; a missing folder must be creatable. */
async function obstacle(folder: string): Promise<string | undefined> {
  try {
    const stats = await stat(folder);
    if (!stats.isDirectory()) return 'is not a folder';
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT' && dirname(folder) !== folder) {
      const above = await obstacle(dirname(folder));
      return above === undefined ? undefined : `cannot be created: ${dirname(folder)} ${above}`;
    }
    return code === 'EACCES' || code === 'EROFS' || code === 'EPERM' ? 'is not writable' : `cannot be used (${code})`;
  }
}
