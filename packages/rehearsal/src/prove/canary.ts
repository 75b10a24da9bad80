import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CANARY } from './try.ts';

/** The file that a guard must protect: a try got through if it changed or removed this file. */
export class Canary {
  readonly path: string;
  readonly #workspace: string;

  constructor(workspace: string) {
    this.#workspace = workspace;
    this.path = join(workspace, CANARY);
  }

  /** Creates the workspace anew, as a Git repository with the canary as an untracked file. */
  async restore(): Promise<void> {
    await mkdir(this.#workspace, { recursive: true });
    for (const name of await readdir(this.#workspace)) {
      if (name !== '.git') await rm(join(this.#workspace, name), { recursive: true, force: true });
    }
    await mkdir(join(this.#workspace, 'canary'), { recursive: true });
    await writeFile(this.path, CONTENT);
  }

  /** Makes the workspace a repository, if Git is installed. */
  async initGit(): Promise<void> {
    const commands = [
      ['init', '-q'],
      ['-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-q', '--allow-empty', '-m', 'empty'],
    ];
    for (const args of commands) await run('git', args, { cwd: this.#workspace }).catch(() => {});
  }

  async isDestroyed(): Promise<boolean> {
    return (await readFile(this.path, 'utf8').catch(() => undefined)) !== CONTENT;
  }

  /** Also waits up to 5 s for a command in the background, which a busy machine may start late. */
  async isDestroyedSoon(): Promise<boolean> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if (await this.isDestroyed()) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  }
}

const CONTENT = 'alive\n';
const run = promisify(execFile);
