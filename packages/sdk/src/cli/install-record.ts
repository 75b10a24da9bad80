import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Stored beside an installed binary, to detect later changes to it. */
export interface InstallRecord {
  readonly version: string;
  readonly package: string;
  /** The tarball it came from. */
  readonly integrity: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** The binary itself. */
  readonly sha512: string;
}

const FILE = 'install.json';

/** Writes the record of a binary that was just unpacked. */
export async function writeRecord(folder: string, record: InstallRecord): Promise<void> {
  const draft = join(folder, `${FILE}.${process.pid}`);
  await writeFile(draft, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  await rename(draft, join(folder, FILE));
}

/** True when `folder` holds the binary that was installed there: by size and time, and by hash when the time has changed. */
export async function isIntact(folder: string, binary: string, version: string): Promise<boolean> {
  try {
    if (!isOursAlone(await lstat(folder))) return false;
    const record: InstallRecord = JSON.parse(await readFile(join(folder, FILE), 'utf8'));
    const stats = await stat(binary);
    if (record.version !== version || !stats.isFile() || stats.size !== record.size) return false;
    if (stats.mtimeMs === record.mtimeMs) return true;
    if ((await hashOf(binary)) !== record.sha512) return false;
    // A restored or copied cache: store the new time, so that the next start skips the hash.
    await writeRecord(folder, { ...record, mtimeMs: stats.mtimeMs }).catch(() => {});
    return true;
  } catch {
    return false;
  }
}

/** No other user may write here, because they could choose what runs. Root may own it, as in an image built with the CLI. */
function isOursAlone(stats: { uid: number; mode: number; isDirectory(): boolean }): boolean {
  const uid = process.getuid?.();
  if (!stats.isDirectory()) return false;
  return uid === undefined || ((stats.uid === uid || stats.uid === 0) && (stats.mode & 0o022) === 0);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest('base64');
}
