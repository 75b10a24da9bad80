import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isPrivate } from '@coxswain/shared/private-file';

/**
 * The folders in which the open inspectors of this user may be announced, the best first. A runtime folder may be missing, or
 * that of another user (`sudo` keeps the variable), so there are two.
 */
export function announcementFolders(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const runtime = env.XDG_RUNTIME_DIR;
  const named = runtime && isAbsolute(runtime) ? [join(runtime, 'coxswain')] : [];
  // The temporary folder may be shared with other users, who must not get the same name.
  return [...named, join(tmpdir(), `coxswain-${process.getuid?.() ?? 'user'}`)];
}

/** Makes a folder if it is missing. @throws Error if others can enter it, or it is not this user's */
export async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!(await isPrivatePath(folder, 'folder'))) {
    throw new Error(
      `${folder} must be a folder of this user that other users cannot enter: remove it, or run chmod 700.`,
    );
  }
}

/** Whether it is there, is no link, belongs to this user, and is closed to others. */
export async function isPrivatePath(path: string, kind: 'folder' | 'file'): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && isPrivate(found, kind);
}
