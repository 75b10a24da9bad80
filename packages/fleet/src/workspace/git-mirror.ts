import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import { GitFailure } from './git.ts';

/** The commits to which names of a remote point. */
export type Tips = ReadonlyMap<string, string>;

/**
 * A bare copy of a remote on this machine, from which checkouts take their objects. Only the worker writes to it; several processes may
 * share it.
 */
export class GitMirror {
  readonly gitDir: string;
  readonly #git: Git;
  #created: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** `url`: the remote, without a password, which may change. */
  constructor(folder: string, url: string, git: Git) {
    this.#git = git;
    this.gitDir = join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.git`);
  }

  run(args: readonly string[], place: Parameters<Git['run']>[1] = {}): Promise<string> {
    return this.#git.run(args, { ...place, gitDir: this.gitDir });
  }

  /** Asks the remote for names: `HEAD`, or full names of branches and tags. A tag that has an object of its own is followed. */
  async tips(remote: string, names: readonly string[]): Promise<Tips> {
    const patterns = names.flatMap((name) => (name.startsWith('refs/tags/') ? [name, `${name}^{}`] : [name]));
    const printed = await this.#git.run(['ls-remote', '--', remote, ...patterns]);
    const tips = new Map<string, string>();
    for (const line of printed.split('\n')) {
      const [, commit, name] = /^([0-9a-f]{40,64})\t(.+)$/.exec(line) ?? [];
      // A pattern also matches the end of longer names.
      if (commit === undefined || name === undefined || !patterns.includes(name)) continue;
      tips.set(name.replace(/\^\{\}$/, ''), commit);
    }
    return tips;
  }

  /** Copies commits of the remote that are missing here. */
  fetch(remote: string, tips: Tips): Promise<void> {
    return this.#inOrder(async () => {
      this.#created ??= this.#create();
      await this.#created;
      for (let attempt = 1; ; attempt += 1) {
        const missing: string[] = [];
        for (const [name, commit] of tips) if (!(await this.has(commit))) missing.push(name);
        if (missing.length === 0) return;
        const specs = missing.map((name) => `+${name}:refs/remotes/origin/${name}`);
        try {
          await this.run(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', remote, ...specs]);
          // A branch that has moved meanwhile is fetched as it is now; its earlier commit came with it, or was removed from it.
          if (attempt > 1) return;
        } catch (error) {
          // Another process fetches into the same mirror.
          if (attempt === FETCH_ATTEMPTS || !(error instanceof GitFailure)) throw error;
        }
      }
    });
  }

  /** Whether the mirror has a commit and all that it consists of. */
  async has(commit: string): Promise<boolean> {
    return this.run(['cat-file', '-e', `${commit}^{commit}`]).then(
      () => true,
      () => false,
    );
  }

  /** Pushes a commit to a branch, if that adds to it. */
  async push(remote: string, commit: string, branch: string): Promise<void> {
    await this.run(['push', '--quiet', '--no-verify', '--', remote, `${commit}:refs/heads/${branch}`]);
  }

  async #create(): Promise<void> {
    if (await stat(join(this.gitDir, 'HEAD')).catch(() => undefined)) return;
    const temporary = `${this.gitDir}.${randomUUID()}`;
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    await this.#git.run(['init', '--quiet', '--bare', '--template=', temporary]);
    // Fails if another process was faster.
    await rename(temporary, this.gitDir).catch(() => rm(temporary, { recursive: true, force: true }));
  }

  /** One fetch at a time: conversations that begin together need the same objects. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => {});
    return done;
  }
}

const FETCH_ATTEMPTS = 3;
