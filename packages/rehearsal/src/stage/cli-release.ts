import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { installCli } from 'coxswain/cli';
import { RehearsalError } from '../rehearsal-error.ts';

/** The path of a CLI: `pinned` and a release are installed if they are missing, anything else is a path. */
export async function cliPath(wanted: string | undefined, onProgress?: (text: string) => void): Promise<string> {
  if (wanted !== undefined && wanted !== 'pinned' && !isRelease(wanted)) {
    await access(wanted).catch((error: unknown) => {
      throw new RehearsalError('release', `There is no CLI at ${wanted}.`, error);
    });
    return wanted;
  }
  const version = wanted === undefined || wanted === 'pinned' ? undefined : wanted;
  const shared = version === undefined ? undefined : await sharedCopy(version);
  if (shared !== undefined) return shared;
  try {
    return (
      await installCli({ version, onProgress: ({ phase }) => onProgress?.(`Claude Code ${version ?? ''}: ${phase}`) })
    ).path;
  } catch (error) {
    throw new RehearsalError('release', error instanceof Error ? error.message : String(error), error);
  }
}

/** True for an exact release such as `2.1.325`. */
export function isRelease(text: string): boolean {
  return /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(text);
}

/** A copy in a folder of releases, which `COXSWAIN_RELEASES` names: `<folder>/2.1.325/claude` or `cli.js`. */
async function sharedCopy(version: string): Promise<string | undefined> {
  const folder = process.env.COXSWAIN_RELEASES;
  if (folder === undefined) return undefined;
  for (const name of ['claude', 'claude.exe', 'cli.js']) {
    const path = join(folder, version, name);
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}
