import type { BigIntStats, Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

/** Lists the entries of a folder below `root`. @throws the errors of `checkFolders` and of the file system */
export async function listFolder(folder: string, root: string): Promise<Dirent[]> {
  await checkFolders(folder, root);
  return readdir(folder, { withFileTypes: true });
}

/** Creates the folders down to `folder`, accessible only to this user. @throws the errors of `checkFolders` and of the file system */
export async function makeFolders(folder: string, root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const path of foldersBetween(folder, root)) {
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await checkFolder(path);
  }
}

/**
 * `root` may be a link, because the caller chose it. A CLI or an agent wrote everything below it.
 * @throws if `folder`, or a folder between it and `root`, is a link, is not a folder, or does not exist
 */
export async function checkFolders(folder: string, root: string): Promise<void> {
  for (const path of foldersBetween(folder, root)) await checkFolder(path);
}

/** Also detects links that were created while the file was being opened. @throws if `path`, without links, is not the opened file */
export async function checkOpened(file: FileHandle, path: string, root: string): Promise<void> {
  const opened = await file.stat({ bigint: true });
  if (!opened.isFile()) throw new Error('it is not a regular file');
  await checkFolders(dirname(path), root);
  if (!isSame(opened, await lstat(path, { bigint: true }))) throw new Error('it was replaced while it was opened');
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

async function checkFolder(path: string): Promise<void> {
  if ((await lstat(path)).isDirectory()) return;
  throw Object.assign(new Error(`ENOTDIR: ${path} is not a folder, or is a link`), { code: 'ENOTDIR' });
}

/** The paths below `root` down to `folder`; `folder` is the last. */
function foldersBetween(folder: string, root: string): string[] {
  const names = relative(root, folder).split(sep);
  if (names.includes('..')) throw new Error(`${folder} is not below ${root}`);
  return names.flatMap((name, index) => (name === '' ? [] : [join(root, ...names.slice(0, index + 1))]));
}
