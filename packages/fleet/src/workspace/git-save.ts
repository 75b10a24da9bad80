import { hostname } from 'node:os';
import { WorkspaceError } from '../errors.ts';
import { GitFailure } from './git.ts';
import { commitsOfAgent, type GitCheckout, indexOf } from './git-checkout.ts';

/** Who commits, and what the commit says. */
export interface GitSignature {
  readonly name: string;
  readonly email: string;
  readonly message: string;
}

/**
 * Commits the files of a checkout and pushes them to the branch of the conversation, if anything changed. Resolves to the last commit.
 * `turn` names the branch for work that conflicts. @throws WorkspaceError, GitFailure
 */
export async function saveCheckout(
  checkout: GitCheckout,
  turn: string,
  signature: GitSignature,
): Promise<string | undefined> {
  const { mirror, base } = checkout;
  try {
    const made = await commitsOfAgent(checkout, turn);
    const nested = await addFiles(checkout);
    const commit = await commitFiles(checkout, made ?? base, signature);
    const saved =
      commit === undefined || commit === base
        ? commit
        : await publish(checkout, commit, turn, signature).catch((error) => keepCommit(checkout, commit, turn, error));
    if (nested.length > 0) throw new WorkspaceError(nestedText(nested));
    return saved;
  } finally {
    await mirror.run(['update-ref', '-d', `refs/coxswain/${turn}`]).catch(() => {}); // It was not made.
  }
}

/** Adds all files to the index of the worker; returns the repositories among them, which Git would reduce to a name. */
async function addFiles(checkout: GitCheckout): Promise<readonly string[]> {
  const { mirror, tree } = checkout;
  const place = { workTree: tree, index: indexOf(checkout) };
  const others = split(await mirror.run(['ls-files', '--others', '--exclude-standard', '-z'], place));
  const nested = others.filter((path) => path.endsWith('/'));
  const staged = split(await mirror.run(['ls-files', '--stage', '-z'], place));
  // Git would run programs of a submodule to find out whether it has changed.
  const submodules = staged
    .filter((line) => line.startsWith('160000 '))
    .map((line) => line.slice(line.indexOf('\t') + 1));
  const excluded = [...nested, ...submodules].map((path) => `:(exclude,literal)${path}`);
  await mirror.run(['add', '--all', '--', '.', ...excluded], place);
  return nested;
}

/** Commits the index; returns the parent if nothing changed, and undefined if there is nothing at all. */
async function commitFiles(
  checkout: GitCheckout,
  parent: string | undefined,
  signature: GitSignature,
): Promise<string | undefined> {
  const { mirror } = checkout;
  const tree = (await mirror.run(['write-tree'], { index: indexOf(checkout) })).trim();
  const before = await mirror.run(parent === undefined ? ['mktree'] : ['rev-parse', `${parent}^{tree}`]);
  if (tree === before.trim()) return parent;
  return commitTree(checkout, tree, parent === undefined ? [] : [parent], signature);
}

async function commitTree(
  { mirror }: GitCheckout,
  tree: string,
  parents: readonly string[],
  { name, email, message }: GitSignature,
): Promise<string> {
  const env = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
  const printed = await mirror.run(['commit-tree', tree, ...parents.flatMap((id) => ['-p', id]), '-m', message], {
    env,
  });
  return printed.trim();
}

/** Pushes a commit; merges what others have pushed to the branch meanwhile. */
async function publish(checkout: GitCheckout, commit: string, turn: string, signature: GitSignature): Promise<string> {
  const { mirror, remote, branch } = checkout;
  const name = `refs/heads/${branch}`;
  let known = checkout.tip;
  let last = commit;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await mirror.push(remote, last, branch);
      return last;
    } catch (error) {
      const tip = (await mirror.tips(remote, [name])).get(name);
      // The response to the push was lost.
      if (tip === last) return last;
      if (tip === undefined || tip === known || attempt === PUSH_ATTEMPTS) throw error;
      await mirror.fetch(remote, new Map([[name, tip]]));
      known = tip;
      last = await merged(checkout, last, tip, turn, signature);
    }
  }
}

/** Keeps a commit that the remote does not have, and names it in the error. @throws WorkspaceError */
async function keepCommit({ mirror }: GitCheckout, commit: string, turn: string, error: unknown): Promise<never> {
  if (error instanceof ConflictError) throw error;
  await mirror.run(['update-ref', `refs/unsaved/${turn}`, commit]);
  const why = error instanceof Error ? error.message : String(error);
  throw new WorkspaceError(
    `${why}\nThe files of the turn are the commit ${commit} in ${mirror.gitDir} on ${hostname()}.`,
  );
}

/** The work of the turn is on another branch. */
class ConflictError extends WorkspaceError {}

/** Merges two commits. @throws ConflictError if they conflict: then the work is on a branch of its own */
async function merged(
  checkout: GitCheckout,
  ours: string,
  theirs: string,
  turn: string,
  signature: GitSignature,
): Promise<string> {
  const { mirror, remote, branch } = checkout;
  let tree: string;
  try {
    tree = (await mirror.run(['merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs])).trim();
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const aside = `${branch}-${turn}`;
    await mirror.push(remote, ours, aside);
    // With another exit code, the histories are unrelated: someone has replaced the branch.
    const files = error.exitCode === 1 ? error.output.trim().split('\n').slice(1) : [];
    throw new ConflictError(conflictText(branch, aside, files));
  }
  return commitTree(checkout, tree, [ours, theirs], { ...signature, message: `Merge branch '${branch}'` });
}

const PUSH_ATTEMPTS = 5;

function conflictText(branch: string, aside: string, files: readonly string[]): string {
  const first = files.slice(0, 5).join(', ');
  const more = files.length > 5 ? ` and ${files.length - 5} more` : '';
  const why = files.length === 0 ? 'the two cannot be merged' : `both have changed ${first}${more}`;
  return `Someone else has pushed to the branch ${branch} during the turn, and ${why}. The files of the turn are on the branch ${aside}; merge it, or the next turn begins without them.`;
}

function nestedText(paths: readonly string[]): string {
  const folders = paths.slice(0, 5).join(', ');
  return `The files in ${folders} were not saved, because Git repositories of their own are there; all others were. Remove their .git folders, or ignore them in .gitignore.`;
}

function split(printed: string): string[] {
  return printed.split('\0').filter((part) => part !== '');
}
