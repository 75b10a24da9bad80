import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { homeFolder } from './usual-places.ts';

/** The CLI truncates longer names and appends a hash. */
const LONGEST_NAME = 200;

/** The CLI's configuration directory in an environment; undefined if there is no home directory. */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.CLAUDE_CONFIG_DIR) return resolve(env.CLAUDE_CONFIG_DIR);
  const home = homeFolder(env, process.platform);
  return home === undefined ? undefined : join(home, '.claude');
}

/** The name of the folder in which the CLI keeps the sessions of a working directory; measured on 2.1.325 and 2.1.197. */
export function projectFolderName(cwd: string): string {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}-${hashOf(cwd)}`;
}

/** The CLI uses the real path. A directory that no longer exists may still have sessions. */
export function realCwd(cwd: string): string {
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
