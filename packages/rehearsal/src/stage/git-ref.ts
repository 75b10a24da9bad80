import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RehearsalError } from '../rehearsal-error.ts';

/** Passes the files of a commit, a branch or a tag to `work`, in a folder that exists only so long. @throws RehearsalError */
export async function withGitRef<T>(repository: string, ref: string, work: (folder: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'coxswain-rehearsal-'));
  try {
    const [archive, files] = [join(root, 'files.tar'), join(root, 'files')];
    await mkdir(files);
    try {
      // A ref that begins with a dash would be an option.
      if (!/^[\w][\w./@^~-]*$/.test(ref)) throw new Error('it is not the name of a commit, a branch or a tag');
      await run('git', ['-C', repository, 'archive', '--format=tar', `--output=${archive}`, ref]);
      await run('tar', ['-xf', archive, '-C', files, '--no-same-owner']);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RehearsalError('workspace', `The ref ${ref} of ${repository} cannot be copied: ${reason}`, error);
    }
    return await work(files);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const run = promisify(execFile);
