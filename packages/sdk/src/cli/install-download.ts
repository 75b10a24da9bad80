import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { knownIntegrity } from './install-integrity.ts';
import { type NpmOptions, runNpm } from './install-npm.ts';

/** Which platform package is wanted. */
export interface PackageWanted {
  readonly name: string;
  readonly version: string;
  /** The build in the package's name, as in `linux-x64-musl`. */
  readonly build: string;
}

/** The hash a package's tarball must have: known beforehand for the pinned version, else the one the registry tells. */
export async function expectedIntegrity(wanted: PackageWanted, npm: NpmOptions): Promise<string> {
  const known = knownIntegrity(wanted.version, wanted.build);
  if (known !== undefined) return known;
  const told: unknown = JSON.parse(
    await runNpm(['view', `${wanted.name}@${wanted.version}`, 'dist.integrity', '--json'], npm),
  );
  if (typeof told === 'string' && told.startsWith('sha512-')) return told;
  throw new Error(`the registry names no sha512 for ${wanted.name}@${wanted.version}`);
}

/** Has npm download a package's tarball into `npm.cwd`; gives its path. */
export async function downloadTarball(
  wanted: PackageWanted,
  npm: NpmOptions,
  onBytes: ((received: number) => void) | undefined,
): Promise<string> {
  const stop = onBytes ? watchDownload(npm, onBytes) : undefined;
  try {
    await runNpm(['pack', `${wanted.name}@${wanted.version}`, '--json', '--ignore-scripts'], npm);
  } finally {
    stop?.();
  }
  const tarball = (await readdir(npm.cwd)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack left no tarball of ${wanted.name}@${wanted.version}`);
  return join(npm.cwd, tarball);
}

const WATCH_MS = 250;

/** npm writes what it downloads to its own cache first: the newest file growing there is how far it has come. */
function watchDownload(npm: NpmOptions, onBytes: (received: number) => void): () => void {
  const since = Date.now();
  const stopped = new AbortController();
  const signal = npm.signal ? AbortSignal.any([npm.signal, stopped.signal]) : stopped.signal;
  let folder: string | undefined;
  let most = 0;
  let busy = false;
  const look = async (): Promise<void> => {
    folder ??= join((await runNpm(['config', 'get', 'cache'], { ...npm, signal })).trim(), '_cacache', 'tmp');
    const received = await largestSince(folder, since);
    if (signal.aborted || received <= most) return;
    most = received;
    onBytes(received);
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    look()
      .catch(() => {})
      .finally(() => {
        busy = false;
      });
  }, WATCH_MS);
  return () => {
    clearInterval(timer);
    stopped.abort();
  };
}

async function largestSince(folder: string, since: number): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (file) => {
      const stats = await stat(join(folder, file)).catch(() => undefined);
      return stats && stats.birthtimeMs >= since ? stats.size : 0;
    }),
  );
  return Math.max(0, ...sizes);
}
