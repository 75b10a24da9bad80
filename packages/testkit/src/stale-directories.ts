import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '@coxswain/shared/running-process';

/** What the kit keeps in a temporary directory: the files of a scripted CLI, or the home of a CLI on a fake API. */
type Content = 'scripted' | 'fake-api';

/** How the name of a temporary directory begins: it contains the id of the process that made it. */
export function directoryPrefix(content: Content): string {
  return `coxswain-${content}-${process.pid}-`;
}

/**
 * Removes what crashed test processes left behind: directories of this user whose process is gone and which have not
 * been touched for an hour (a process in another container also looks gone). Never throws.
 */
export async function sweepStaleDirectories(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.map((name) => removeIfStale(join(folder, name), STALE_NAME.exec(name)?.[1])));
}

const STALE_NAME = /^coxswain-(?:scripted|fake-api)-(\d+)-/;

const hourMs = 3_600_000;

async function removeIfStale(directory: string, maker: string | undefined): Promise<void> {
  if (maker === undefined || isRunning(Number(maker))) return;
  try {
    const { mtimeMs, uid } = await lstat(directory);
    const ours = process.getuid === undefined || uid === process.getuid();
    if (ours && Date.now() - mtimeMs > hourMs) await rm(directory, { recursive: true, force: true });
  } catch {
    // Another process has removed it, or we may not.
  }
}
