import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkspaceError } from '../errors.ts';
import type { ArchiveFile, ArchiveStore, ArchiveTree } from './archive-store.ts';

/** What is not stored, and how much may be. */
export interface ArchiveLimits {
  /** Names of files and folders that are not stored, wherever they are. */
  readonly ignore: ReadonlySet<string>;
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/** Stores the content of all files in a folder that the store does not have, and returns their list. @throws WorkspaceError */
export async function storeFiles(
  folder: string,
  store: ArchiveStore,
  limits: ArchiveLimits,
): Promise<readonly ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  const paths = new Map<string, string>();
  let bytes = 0;
  const scan = async (inside: string): Promise<void> => {
    const entries = await readdir(join(folder, inside), { withFileTypes: true });
    for (const entry of entries) {
      const { name } = entry;
      if (limits.ignore.has(name)) continue;
      const path = inside === '' ? name : `${inside}/${name}`;
      if (name.includes('\uFFFD') || name.includes('\\'))
        throw new WorkspaceError(`The name of the file ${JSON.stringify(path)} cannot be stored.`);
      // Sockets, pipes and devices have no content.
      if (entry.isDirectory()) files.push({ path, kind: 'folder' });
      else if (entry.isSymbolicLink()) files.push({ path, kind: 'link', target: await readlink(join(folder, path)) });
      else if (entry.isFile()) {
        const { size, mode } = await lstat(join(folder, path));
        bytes += size;
        if (bytes > limits.maxBytes)
          throw new WorkspaceError(
            `The files have more than ${limits.maxBytes} bytes; ignore some, or raise maxBytes.`,
          );
        const hash = hashOf(await readFile(join(folder, path)));
        paths.set(hash, path);
        files.push({ path, kind: 'file', hash, executable: (mode & 0o100) !== 0 });
      }
      if (files.length > limits.maxFiles)
        throw new WorkspaceError(`There are more than ${limits.maxFiles} files; ignore some, or raise maxFiles.`);
      if (entry.isDirectory()) await scan(path);
    }
  };
  await scan('');
  const hashes = [...paths.keys()];
  for (let at = 0; at < hashes.length; at += BATCH)
    for (const hash of await store.missing(hashes.slice(at, at + BATCH))) {
      const path = paths.get(hash) ?? '';
      const content = await readFile(join(folder, path));
      if (hashOf(content) !== hash) throw new WorkspaceError(`The file ${path} changed while it was saved.`);
      await store.putBlob(hash, content);
    }
  return files;
}

/** Writes the files of a conversation into a new folder. @throws WorkspaceError */
export async function writeFiles(folder: string, { files }: ArchiveTree, store: ArchiveStore): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const file of files) {
    const path = join(folder, file.path);
    if (file.kind === 'folder') await mkdir(path);
    else if (file.kind === 'link') await symlink(file.target, path);
    else {
      const content = await store.getBlob(file.hash);
      if (content === undefined || hashOf(content) !== file.hash)
        throw new WorkspaceError(`The stored content of the file ${file.path} is ${content ? 'damaged' : 'missing'}.`);
      await writeFile(path, content, { mode: file.executable ? 0o755 : 0o644, flag: 'wx' });
    }
  }
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Blobs of one request to the store. */
const BATCH = 1_000;
