import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentJob } from '@coxswain/fleet';

/** A repository on this machine, in the role of the remote. */
export interface TestRemote extends AsyncDisposable {
  /** A temporary folder, for the files of workers. */
  readonly root: string;
  readonly path: string;
  git(...args: string[]): string;
  /** Commits files to a branch, as another person would. */
  commit(branch: string, files: Readonly<Record<string, string>>): string;
  /** The content of a file on a branch; undefined if it is not there. */
  show(branch: string, file: string): string | undefined;
}

/** Variables with which Git reads no settings of this machine. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
};

/** Creates a bare repository whose branch `main` has these files. */
export async function testRemote(files: Readonly<Record<string, string>> = {}): Promise<TestRemote> {
  const root = await mkdtemp(join(tmpdir(), 'coxswain-git-test-'));
  const path = join(root, 'remote.git');
  const run = (args: readonly string[], input?: string): string =>
    execFileSync('git', args, { env: GIT_ENV, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], input });
  run(['init', '--quiet', '--bare', '--initial-branch=main', path]);
  const git = (...args: string[]): string => run(['--git-dir', path, ...args]).trim();
  const remote: TestRemote = {
    root,
    path,
    git,
    commit(branch, changed) {
      const name = `refs/heads/${branch}`;
      const parent = git('for-each-ref', '--format=%(objectname)', name);
      const lines = [
        `commit ${name}`,
        'committer Ann <ann@example.com> now',
        'data <<END\nA change\nEND',
        ...(parent === '' ? [] : [`from ${parent}`]),
        ...Object.entries(changed).map(
          ([file, text]) => `M 100644 inline ${file}\ndata ${Buffer.byteLength(text)}\n${text}`,
        ),
        '',
      ];
      run(['--git-dir', path, 'fast-import', '--quiet', '--date-format=now'], lines.join('\n'));
      return git('rev-parse', name);
    },
    show(branch, file) {
      try {
        return run(['--git-dir', path, 'show', `${branch}:${file}`]);
      } catch {
        return undefined;
      }
    },
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true });
    },
  };
  if (Object.keys(files).length > 0) remote.commit('main', files);
  return remote;
}

/** A turn for the functions of a workspace. */
export function jobOf(key: string, epoch: number, prompt = 'Change a file'): AgentJob {
  return {
    id: `turn-${key.length}-${epoch}`,
    key,
    tenant: 'acme',
    prompt,
    data: undefined,
    attempt: 1,
    epoch,
    previousEpoch: epoch - 1,
    previousPlace: null,
  };
}
