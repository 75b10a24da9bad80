import { copyFile, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import type { GitMirror } from './git-mirror.ts';

/** The files of a conversation on this machine. */
export interface GitCheckout {
  /** The working directory of the agent. */
  readonly tree: string;
  /** The folder of the checkout. The agent need not write outside of `tree`. */
  readonly folder: string;
  readonly mirror: GitMirror;
  readonly remote: string;
  readonly branch: string;
  /** The commit that the remote has; undefined in an empty repository. */
  readonly base: string | undefined;
  /** The conversation's branch on the remote; undefined if it has none yet. */
  readonly tip: string | undefined;
}

/** The index of the worker, which the agent cannot change. */
export function indexOf({ folder }: Pick<GitCheckout, 'folder'>): string {
  return join(folder, 'index');
}

/** Writes the files of the base into an empty folder, and a repository for the agent beside them. */
export async function createCheckout(checkout: GitCheckout, git: Git, url: string): Promise<void> {
  const { tree, mirror, base } = checkout;
  await mkdir(tree, { recursive: true, mode: 0o700 });
  const place = { workTree: tree, index: indexOf(checkout) };
  await mirror.run(base === undefined ? ['read-tree', '--empty'] : ['read-tree', '--reset', '-u', base], place);
  await createRepository(checkout, git, url);
}

/**
 * Makes a repository in which the agent can use Git: its own, with the objects of the mirror. The worker reads nothing from it but commits,
 * because its settings could name programs.
 */
export async function createRepository(checkout: GitCheckout, git: Git, url: string): Promise<void> {
  const { tree, mirror, branch, base } = checkout;
  const gitDir = join(tree, '.git');
  await rm(gitDir, { recursive: true, force: true });
  await git.run(['init', '--quiet', '--template=', `--initial-branch=${branch}`, tree]);
  await mkdir(join(gitDir, 'objects/info'), { recursive: true });
  await writeFile(join(gitDir, ALTERNATES), alternatesOf(mirror));
  await git.run(['config', '--file', join(gitDir, 'config'), 'remote.origin.url', url]);
  if (base !== undefined) await git.run(['update-ref', `refs/heads/${branch}`, base], { gitDir });
  await copyFile(indexOf(checkout), join(gitDir, 'index'));
}

/**
 * Copies the commits that the agent made into the mirror. Returns the last one, or undefined if there are none, or the agent has replaced
 * its repository: then only its files count.
 */
export async function commitsOfAgent({ tree, mirror, base }: GitCheckout, name: string): Promise<string | undefined> {
  const gitDir = join(tree, '.git');
  if (!(await isPrepared(gitDir, mirror))) return undefined;
  const ref = `refs/coxswain/${name}`;
  try {
    await mirror.run(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', gitDir, `+HEAD:${ref}`]);
    const commit = (await mirror.run(['rev-parse', '--verify', `${ref}^{commit}`])).trim();
    if (base !== undefined) await mirror.run(['merge-base', '--is-ancestor', base, commit]);
    return commit;
  } catch {
    // No commit yet, a damaged repository, or another history.
    return undefined;
  }
}

/** Whether a repository takes its objects from nowhere else than when it was made. */
async function isPrepared(gitDir: string, mirror: GitMirror): Promise<boolean> {
  for (const name of ['.', 'objects', 'objects/info', 'refs', 'refs/heads']) {
    const found = await lstat(join(gitDir, name)).catch(() => undefined);
    if (!found?.isDirectory()) return false;
  }
  if (await lstat(join(gitDir, 'commondir')).catch(() => undefined)) return false;
  const file = join(gitDir, ALTERNATES);
  const isFile = (await lstat(file).catch(() => undefined))?.isFile() === true;
  return isFile && (await readFile(file, 'utf8')) === alternatesOf(mirror);
}

const ALTERNATES = 'objects/info/alternates';

function alternatesOf({ gitDir }: GitMirror): string {
  return `${join(gitDir, 'objects')}\n`;
}
