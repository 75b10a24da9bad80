import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { WorkspaceError } from '../errors.ts';

/**
 * A folder of this process below `root`. Those of dead processes are removed a day after their last turn: until then, someone can
 * recover files that were not saved.
 */
export class WorkerFolder {
  readonly #root: string;
  readonly #path: string;
  #created: Promise<void> | undefined;
  #usedAt = 0;

  constructor(root: string) {
    this.#root = root;
    this.#path = join(root, randomUUID());
  }

  /** The path of a new file or folder. */
  async pathOf(name: string): Promise<string> {
    this.#created ??= this.#create();
    await this.#created;
    await this.#touch();
    return join(this.#path, name);
  }

  async #create(): Promise<void> {
    await privateFolder(this.#root);
    await mkdir(this.#path, { mode: 0o700 });
    await writeFile(join(this.#path, OWNER), JSON.stringify({ host: hostname(), pid: process.pid }));
    await removeAbandoned(this.#root, Date.now());
  }

  /** Records at most once a minute that the folder is in use. */
  async #touch(): Promise<void> {
    const now = Date.now();
    if (now - this.#usedAt < 60_000) return;
    this.#usedAt = now;
    await utimes(join(this.#path, OWNER), new Date(now), new Date(now)).catch(() => {});
  }
}

/**
 * Creates a folder, or checks that nobody else could have put files into it: with a name that can be guessed, in a temporary folder, another
 * user could have created it before. @throws WorkspaceError
 */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (process.getuid === undefined) return;
  const found = await lstat(path);
  if (found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0) return;
  throw new WorkspaceError(
    `The folder ${path} belongs to another user, or others can write to it. Choose another directory.`,
  );
}

const OWNER = 'owner.json';

/** Longer than a turn may take. */
const UNUSED_MS = 24 * 3_600_000;
/** For processes of other machines or containers, which cannot be examined. */
const UNUSED_ELSEWHERE_MS = 7 * UNUSED_MS;

/** Removes the folders of processes that have ended. */
export async function removeAbandoned(root: string, now: number): Promise<void> {
  for (const name of await readdir(root)) {
    const folder = join(root, name);
    const used = await stat(join(folder, OWNER)).catch(() => undefined);
    if (used === undefined) continue; // Being created, or not one of these folders.
    const unusedMs = now - used.mtimeMs;
    if (unusedMs < UNUSED_MS || (unusedMs < UNUSED_ELSEWHERE_MS && !(await hasEnded(folder)))) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => {}); // The next process tries again.
  }
}

async function hasEnded(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, OWNER), 'utf8').catch(() => '');
  const [, host, pid] = /^\{"host":"([^"]*)","pid":(\d+)\}$/.exec(text) ?? [];
  if (host !== hostname() || pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
