import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findPinned } from './install.ts';
import type { InstalledCopiesOptions, InstalledCopy } from './own-copies.ts';
import { platformBuild } from './platform-package.ts';

/** The copies of the CLI in the SDK's cache, by version. */
export async function findCopies(options: InstalledCopiesOptions): Promise<readonly InstalledCopy[]> {
  const where = { env: options.env ?? process.env, cacheDir: options.cacheDir };
  const { folder } = await findPinned(where);
  const suffix = `-${platformBuild(process.platform).id}`;
  const names = await readdir(dirname(folder)).catch(() => []);
  const versions = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
  return Promise.all(versions.sort().map((version) => copyOf(version, where)));
}

async function copyOf(version: string, where: Parameters<typeof findPinned>[0]): Promise<InstalledCopy> {
  const { binary, installed } = await findPinned({ ...where, version });
  const bytes = await stat(binary).then(
    ({ size }) => size,
    () => 0,
  );
  return { version, path: binary, bytes, intact: installed !== undefined };
}
