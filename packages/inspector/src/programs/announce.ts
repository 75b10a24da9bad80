import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { announcementFolders, makePrivate } from './private-folder.ts';

/** The announcement of an open inspector, in a file that only its user can read. */
export interface Announcement {
  /** The option `name`, or the file that was started. */
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly cwd: string;
  /** In ms since the epoch. */
  readonly startedAt: number;
  readonly readOnly: boolean;
  /** Without a token. */
  readonly url: string;
  /** Gives access to this inspector while it runs; never the token that was passed to `inspect`. */
  readonly token: string;
  /** The program uses its own login, so the token only proves the server's identity. */
  readonly hasAuth: boolean;
}

export function announcementToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The id of an inspector, unique on this machine. */
export function programId({ pid, port }: Pick<Announcement, 'pid' | 'port'>): string {
  return `${pid}-${port}`;
}

/** Writes the file. It is removed by the returned function, or when the process exits, unless it is killed. @throws Error */
export async function announce(
  inspector: Omit<Announcement, 'name' | 'pid' | 'cwd' | 'startedAt'> & { readonly name: string | undefined },
): Promise<() => void> {
  const name = inspector.name || basename(process.argv[1] ?? '') || 'node';
  const { pid } = process;
  const announcement: Announcement = { ...inspector, name, pid, cwd: process.cwd(), startedAt: Date.now() };
  const folder = await firstPrivate(announcementFolders());
  const file = join(folder, `${programId(announcement)}.json`);
  const unfinished = join(folder, `.${programId(announcement)}-${randomBytes(6).toString('hex')}`);
  await writeFile(unfinished, JSON.stringify(announcement), { mode: 0o600, flag: 'wx' });
  // Readers get either the complete file or none.
  await rename(unfinished, file);
  if (files.size === 0) process.once('exit', removeAll);
  files.add(file);
  return () => {
    files.delete(file);
    if (files.size === 0) process.removeListener('exit', removeAll);
    remove(file);
  };
}

async function firstPrivate(folders: readonly string[]): Promise<string> {
  let problem: unknown;
  for (const folder of folders) {
    try {
      await makePrivate(folder);
      return folder;
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

const files = new Set<string>();

function removeAll(): void {
  for (const file of files) remove(file);
}

/** Errors are ignored: a leftover file is useless once its server has closed. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Ignored, see above.
  }
}
