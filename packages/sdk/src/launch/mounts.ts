import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Mount, Mounts } from '../cli/bubblewrap-line.ts';
import { reasonOf } from '../errors/base.ts';
import { SpawnError } from '../errors/start.ts';

/**
 * Resolves paths for an isolated CLI. It can change what is in its writable folders, so nothing in them may decide what the next start
 * mounts: a path through a link in one of them is refused, and what is below one of them is already there and not mounted again.
 * @throws SpawnError
 */
export function mountsOf(paths: Readonly<Record<'readable' | 'writable', readonly string[]>>): Mounts {
  const writable = paths.writable.map(mountOf);
  const roots = writable.map(({ real }) => real);
  const readable = paths.readable.map(mountOf);
  for (const { path } of [...writable, ...readable]) {
    const link = linkBelow(path, roots);
    if (link !== undefined) throw unmountable(path, `${link} is a link in a folder that the CLI can change`);
  }
  // A folder that is named twice is mounted twice; nothing can put another in its place.
  const isBelow = ({ real }: Mount): boolean => roots.some((root) => real !== root && isWithin(real, root));
  const isThere = ({ real }: Mount): boolean => roots.some((root) => isWithin(real, root));
  const mounted = {
    readable: readable.filter((one) => !isThere(one)),
    writable: writable.filter((one) => !isBelow(one)),
  };
  const seen = [...mounted.readable, ...mounted.writable].map(({ real }) => real);
  const others = [...readable.filter(isThere), ...writable.filter(isBelow)];
  return { ...mounted, aliases: others.filter(({ path }) => !seen.some((folder) => isWithin(path, folder))) };
}

/** True for a folder itself and for what is below it. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** @throws SpawnError */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw unmountable(path, reasonOf(cause), cause);
  }
}

/** The error for a path that the isolated CLI cannot have. */
export function unmountable(path: string, reason: string, cause?: unknown): SpawnError {
  const message = `${path} cannot be given to the isolated CLI: ${reason}. The CLI was not started.`;
  return new SpawnError(message, { reason: 'other', path, cause });
}

/** @throws SpawnError */
function mountOf(path: string): Mount {
  const real = realPathOf(path);
  if (real === '/') throw unmountable(path, 'it is the root of the file system');
  return { path: resolve(path), real };
}

/** The first link on the way to a path that is in one of the folders. The path exists, so its links form no circle. */
function linkBelow(path: string, folders: readonly string[]): string | undefined {
  const way = path.split(sep);
  let at = '/';
  for (const [index, name] of way.entries()) {
    const next = join(at, name);
    if (!lstatSync(next).isSymbolicLink()) at = next;
    else if (folders.some((folder) => isWithin(dirname(next), folder))) return next;
    else {
      const target = resolve(at, readlinkSync(next));
      return linkBelow([target, ...way.slice(index + 1)].join(sep), folders);
    }
  }
  return undefined;
}
