import type { Stats } from 'node:fs';

/** Owned by this user and closed to all others. On Windows the permissions of the profile folder apply. */
export function isPrivate(stats: Stats, kind: 'file' | 'folder'): boolean {
  if (kind === 'file' ? !stats.isFile() : !stats.isDirectory()) return false;
  const uid = process.getuid?.();
  return uid === undefined || (stats.uid === uid && (stats.mode & 0o077) === 0);
}
