import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { AgentJob, SavedOutcome, Workspace } from '../agent/define-agent.ts';
import { FleetInputError, WorkspaceError } from '../errors.ts';
import { checkedOptions, checkedWait } from '../fleet/input.ts';
import { branchName, folderName } from './branch-name.ts';
import { type Git, gitWith, withoutPasswords } from './git.ts';
import { createCheckout, createRepository, type GitCheckout } from './git-checkout.ts';
import { GitMirror, type Tips } from './git-mirror.ts';
import { saveCheckout } from './git-save.ts';
import { KeptFolders } from './kept-folders.ts';
import { promptLine } from './prompt-line.ts';
import { privateFolder, WorkerFolder } from './worker-folder.ts';

/** Where the files of conversations come from, and where they go. */
export interface GitWorkspaceOptions<Data = unknown> {
  /** The URL or the path of the repository, or a function that returns it. */
  readonly remote: string | ((job: AgentJob<Data>) => string);
  /** The branch or tag with which a conversation begins; the default branch of the remote if it is not given. */
  readonly ref?: string | ((job: AgentJob<Data>) => string) | undefined;
  /** The branch to which the files of a conversation are pushed; by default `coxswain/` and its key, with a hash if that is not a plain name. */
  readonly branch?: ((job: AgentJob<Data>) => string) | undefined;
  /** The message of a commit; by default the first line of the prompt, with the turn and the conversation. */
  readonly message?: ((job: AgentJob<Data>, outcome: SavedOutcome) => string) | undefined;
  /** Author and committer. */
  readonly author?: { readonly name: string; readonly email: string } | undefined;
  /** The folder for copies of repositories and for checkouts; by default one of this user below the system's temporary folder. */
  readonly directory?: string | undefined;
  /** How many conversations keep their checkout between turns on this worker, with ignored files such as `node_modules`; 10 by default. */
  readonly keep?: number | undefined;
  /** Time limit of each command of Git; 10 minutes by default. */
  readonly timeoutMs?: number | undefined;
  /** The environment of Git, with its credentials; that of the worker by default. The agent does not get it. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * A workspace on a Git remote: each conversation has a branch. A worker copies a repository once and makes a checkout of it for each
 * conversation; after a turn it commits what changed and pushes it. Needs Git 2.38.
 * @throws FleetInputError
 */
export function gitWorkspace<Data = unknown>(options: GitWorkspaceOptions<Data>): Workspace<Data> {
  checkOptions(options);
  const { author = DEFAULT_AUTHOR, keep = 10, timeoutMs = 600_000, env = process.env } = options;
  const directory = options.directory ?? join(tmpdir(), `coxswain-git-${userInfo().uid}`);
  const git = gitWith(env, timeoutMs);
  const checkouts = new WorkerFolder(join(directory, 'checkouts'));
  const mirrors = new Map<string, GitMirror>();
  const folders = new KeptFolders<GitCheckout>(keep);

  const mirrorOf = async (url: string): Promise<GitMirror> => {
    await privateFolder(directory);
    const mirror = mirrors.get(url) ?? new GitMirror(join(directory, 'mirrors'), url, git);
    mirrors.set(url, mirror);
    return mirror;
  };

  return {
    async prepare(job) {
      const { remote, names, branch } = await placeOf(options, job, git);
      const url = withoutPasswords(remote);
      const mirror = await mirrorOf(url);
      const tips = await mirror.tips(remote, [...names, `refs/heads/${branch}`]);
      const tip = tips.get(`refs/heads/${branch}`);
      const base = tip ?? firstOf(names, tips);
      if (base === undefined && options.ref !== undefined)
        throw new WorkspaceError(`The remote has no branch or tag "${names.at(-1)?.replace('refs/tags/', '')}".`);
      await mirror.fetch(remote, new Map([...tips].filter(([, commit]) => commit === base).slice(0, 1)));
      const kept = folders.take(job, (last) => last.mirror === mirror && last.base === base);
      if (kept !== undefined) {
        const checkout = { ...kept, remote, branch, tip };
        await createRepository(checkout, git, url);
        folders.begin(job, checkout);
        return { cwd: checkout.tree, readable: [mirror.gitDir] };
      }
      const folder = await checkouts.pathOf(`${folderName(job.key)}-${job.epoch}`);
      const checkout: GitCheckout = { tree: join(folder, 'tree'), folder, mirror, remote, branch, base, tip };
      folders.begin(job, checkout);
      await createCheckout(checkout, git, url);
      return { cwd: checkout.tree, readable: [mirror.gitDir] };
    },

    async save(job, outcome) {
      const checkout = folders.of(job);
      const message = options.message?.(job, outcome) ?? messageFor(job, outcome);
      const commit = await saveCheckout(checkout, folderName(job.id), { ...author, message });
      const tip = commit === checkout.base ? checkout.tip : commit;
      folders.keep(job, { ...checkout, base: commit, tip });
    },
  };
}

/** The remote of a turn, the names with which its conversation may begin, and its branch, all checked. */
async function placeOf<Data>(
  { remote: given, ref: start, branch: named }: GitWorkspaceOptions<Data>,
  job: AgentJob<Data>,
  git: Git,
): Promise<{ readonly remote: string; readonly names: readonly string[]; readonly branch: string }> {
  const remote = textOf('remote', typeof given === 'function' ? given(job) : given);
  const ref = start === undefined ? undefined : textOf('ref', typeof start === 'function' ? start(job) : start);
  const branch = textOf('branch', named?.(job) ?? branchName('coxswain/', job.key));
  for (const name of ref === undefined ? [branch] : [branch, ref]) {
    const isName = await git.run(['check-ref-format', `refs/heads/${name}`]).then(
      () => true,
      () => false,
    );
    if (!isName) throw new WorkspaceError(`"${name}" is not a name that Git accepts for a branch.`);
  }
  return { remote, names: ref === undefined ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}`], branch };
}

function firstOf(names: readonly string[], tips: Tips): string | undefined {
  return names.map((name) => tips.get(name)).find((commit) => commit !== undefined);
}

/** A value that a function of the user returned. */
function textOf(field: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && !value.startsWith('-') && !/[\0\n]/.test(value)) return value;
  throw new WorkspaceError(`The ${field} must be a text that is not empty and does not begin with "-".`);
}

function messageFor({ id, key, prompt }: AgentJob, { kind }: SavedOutcome): string {
  const subject = promptLine(prompt, 72) || `Turn ${id}`;
  return `${subject}\n\nTurn: ${id}\nConversation: ${key}\nOutcome: ${kind}`;
}

const DEFAULT_AUTHOR = { name: 'Coxswain', email: 'coxswain@localhost' };

const OPTIONS: Readonly<Record<keyof GitWorkspaceOptions, true>> = {
  remote: true,
  ref: true,
  branch: true,
  message: true,
  author: true,
  directory: true,
  keep: true,
  timeoutMs: true,
  env: true,
};

function checkOptions(options: GitWorkspaceOptions<never>): void {
  const { remote, ref, branch, message, author, directory, keep, timeoutMs } = checkedOptions(options, OPTIONS);
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '' && !value.startsWith('-');
  if (!isText(remote) && typeof remote !== 'function')
    throw new FleetInputError('remote', 'must be the URL or the path of a repository, or a function.');
  if (ref !== undefined && !isText(ref) && typeof ref !== 'function')
    throw new FleetInputError('ref', 'must be a branch or a tag, or a function.');
  for (const [field, value] of Object.entries({ branch, message }))
    if (value !== undefined && typeof value !== 'function') throw new FleetInputError(field, 'must be a function.');
  if (author !== undefined && !(isText(author.name) && isText(author.email)))
    throw new FleetInputError('author', 'must have a name and an email.');
  if (directory !== undefined && !(typeof directory === 'string' && isAbsolute(directory)))
    throw new FleetInputError('directory', 'must be an absolute path.');
  if (keep !== undefined && !(Number.isSafeInteger(keep) && keep >= 0))
    throw new FleetInputError('keep', 'must be a number of conversations, at least 0.');
  if (timeoutMs !== undefined) checkedWait('timeoutMs', timeoutMs);
}
