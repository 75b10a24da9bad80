import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { FleetInputError } from '../errors.ts';
import { checkedTree, type PrunableArchive } from './archive-store.ts';

/** An archive in a folder that all workers share, such as a network drive. A crash leaves no partial file. @throws FleetInputError */
export function folderArchive(path: string): PrunableArchive {
  if (typeof path !== 'string' || !isAbsolute(path)) throw new FleetInputError('path', 'must be an absolute path.');
  const blobPath = (hash: string): string => join(path, 'blobs', hash.slice(0, 2), hash);
  const treesOf = (key: string): string => join(path, 'trees', createHash('sha256').update(key).digest('hex'));
  /** The epochs that are stored, the latest first. */
  const epochsOf = async (folder: string): Promise<number[]> => {
    const names = await readdir(folder).catch(noneIfMissing);
    return names.flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : [])).sort((a, b) => b - a);
  };
  return {
    async missing(hashes) {
      const now = new Date();
      const found = await Promise.all(
        // Whoever removes blobs that are no longer used sees that this one is.
        hashes.map((hash) => utimes(blobPath(hash), now, now).then(() => true, falseIfMissing)),
      );
      return hashes.filter((_, index) => !found[index]);
    },
    putBlob: (hash, bytes) => writeWhole(blobPath(hash), bytes),
    getBlob: (hash) => readFile(blobPath(hash)).catch(undefinedIfMissing),
    async readTree(key) {
      const folder = treesOf(key);
      const [latest] = await epochsOf(folder);
      if (latest === undefined) return undefined;
      // A later one may just have replaced it.
      const text = await readFile(join(folder, `${latest}.json`), 'utf8').catch(undefinedIfMissing);
      return text === undefined ? this.readTree(key) : JSON.parse(text);
    },
    async writeTree(key, tree) {
      const folder = treesOf(key);
      const [latest] = await epochsOf(folder);
      if (latest !== undefined && latest > tree.epoch) return false;
      await writeWhole(join(folder, `${tree.epoch}.json`), Buffer.from(JSON.stringify(tree)));
      for (const epoch of await epochsOf(folder))
        if (epoch < tree.epoch) await rm(join(folder, `${epoch}.json`), { force: true });
      return true;
    },
    async prune({ keys = [] } = {}) {
      for (const key of keys) await rm(treesOf(key), { recursive: true, force: true });
      const old = await unusedSince(join(path, 'blobs'), Date.now() - UNUSED_MS);
      for (const name of await readdir(join(path, 'trees')).catch(noneIfMissing))
        for (const epoch of await epochsOf(join(path, 'trees', name))) {
          const text = await readFile(join(path, 'trees', name, `${epoch}.json`), 'utf8').catch(undefinedIfMissing);
          if (text === undefined) continue;
          for (const file of checkedTree(JSON.parse(text)).files) if (file.kind === 'file') old.delete(file.hash);
        }
      for (const file of old.values()) await rm(file, { force: true });
    },
  };
}

/** A turn that saves takes far less. */
const UNUSED_MS = 24 * 3_600_000;

/** The files of blobs that nobody has used since then, by their hash. */
async function unusedSince(folder: string, time: number): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const part of await readdir(folder).catch(noneIfMissing))
    for (const hash of await readdir(join(folder, part))) {
      const file = join(folder, part, hash);
      const used = await stat(file).catch(undefinedIfMissing);
      if (used !== undefined && used.mtimeMs < time) found.set(hash, file);
    }
  return found;
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, bytes, { flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

function falseIfMissing(error: unknown): boolean {
  undefinedIfMissing(error);
  return false;
}

function noneIfMissing(error: unknown): string[] {
  undefinedIfMissing(error);
  return [];
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
