import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { installCli, installedClis, PINNED_VERSION } from 'coxswain/cli';
import { RehearsalError } from '../rehearsal-error.ts';
import { scriptRelease } from './script-release.ts';

/** The path of a CLI: `pinned` and a release are fetched if they are missing, and kept; anything else is a path. */
export async function cliPath(wanted: string = 'pinned', onProgress?: (text: string) => void): Promise<string> {
  if (wanted === 'pinned') return (await sharedCopy(PINNED_VERSION)) ?? nativeRelease(undefined, onProgress);
  if (!isRelease(wanted)) {
    if (await exists(wanted)) return wanted;
    throw new RehearsalError('release', `There is no CLI at ${wanted}.`);
  }
  const shared = await sharedCopy(wanted);
  if (shared !== undefined) return shared;
  const installed = (await installedClis()).find(({ version, intact }) => version === wanted && intact);
  if (installed !== undefined) return installed.path;
  onProgress?.(`fetching Claude Code ${wanted} …`);
  return (await scriptRelease(wanted)) ?? nativeRelease(wanted, onProgress);
}

/** True for an exact release such as `2.1.325`. */
function isRelease(text: string): boolean {
  return /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(text);
}

async function nativeRelease(version: string | undefined, onProgress?: (text: string) => void): Promise<string> {
  let shown: string | undefined;
  try {
    const copy = await installCli({
      version,
      onProgress({ phase }) {
        if (phase !== shown) onProgress?.(`Claude Code ${version ?? 'pinned'}: ${phase}`);
        shown = phase;
      },
    });
    return copy.path;
  } catch (error) {
    throw new RehearsalError('release', error instanceof Error ? error.message : String(error), error);
  }
}

/** A copy in a folder of releases, which `COXSWAIN_RELEASES` names: `<folder>/2.1.325/claude` or `cli.js`. */
async function sharedCopy(version: string): Promise<string | undefined> {
  const folder = process.env.COXSWAIN_RELEASES;
  if (folder === undefined) return undefined;
  for (const name of ['claude', 'claude.exe', 'cli.js']) {
    const path = join(folder, version, name);
    if (await exists(path)) return path;
  }
  return undefined;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
