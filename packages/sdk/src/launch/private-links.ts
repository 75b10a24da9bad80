import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Mounts } from '../cli/bubblewrap-line.ts';
import { isConfiguration } from '../cli/folders.ts';
import { isWithin, unmountable } from './mounts.ts';

/**
 * The folders and files of the user's configuration that a private configuration directory has links to. Only links that the SDK
 * makes count: the CLI can add others, to anything.
 */
export function linkedConfig(folder: string, source: string): string[] {
  const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  return links.flatMap(({ name }) => {
    const path = join(source, name);
    const found = statSync(path, { throwIfNoEntry: false });
    const isTaken = found !== undefined && isConfiguration(name, found.isDirectory());
    return isTaken && readlinkSync(join(folder, name)) === path ? [path] : [];
  });
}

/** Settings may deny tools, so a link to settings that the CLI cannot see ends the start. @throws SpawnError */
export function requireSettings(config: readonly string[], { readable, writable }: Mounts): void {
  const seen = [...readable, ...writable].map(({ real }) => real);
  for (const path of config.map((folder) => join(folder, 'settings.json'))) {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() || !existsSync(path)) continue;
    const real = realpathSync(path);
    if (seen.some((folder) => isWithin(real, folder))) continue;
    throw unmountable(path, `it is a link to ${real}, which is not in isolate.readable`);
  }
}
