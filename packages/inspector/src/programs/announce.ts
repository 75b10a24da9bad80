import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { announcementFolders, makePrivate } from './private-folder.ts';

/** What a program says about its open inspector, in a file that only its user can read. */
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
  /** Opens this inspector while it runs; never the token that was passed to `inspect`. */
  readonly token: string;
  /** The program has a login of its own, so the token only proves who answers. */
  readonly hasAuth: boolean;
}

export function announcementToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The name of an inspector among those of this machine. */
export function programId({ pid, port }: Pick<Announcement, 'pid' | 'port'>): string {
  return `${pid}-${port}`;
}

/** Writes the file. The returned function removes it; so does the end of the process, unless it is killed. @throws Error */
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
  // Readers see all of it or nothing.
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

/** A file that stays is of no use to anyone once its server is gone. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Said above.
  }
}
