import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isPrivate } from '@coxswain/shared/private-file';

/**
 * The folders in which the open inspectors of this user may be announced, best first. The runtime folder may be missing, or
 * belong to another user (`sudo` keeps the variable), so there is a fallback.
 */
export function announcementFolders(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const runtime = env.XDG_RUNTIME_DIR;
  const named = runtime && isAbsolute(runtime) ? [join(runtime, 'coxswain')] : [];
  // The temporary folder may be shared with other users, so the name includes the user id.
  return [...named, join(tmpdir(), `coxswain-${process.getuid?.() ?? 'user'}`)];
}

/** Creates a folder if it is missing. @throws Error if other users can enter it, or it does not belong to this user */
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

/** Whether it exists, is not a link, belongs to this user and is closed to others. */
export async function isPrivatePath(path: string, kind: 'folder' | 'file'): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && isPrivate(found, kind);
}
