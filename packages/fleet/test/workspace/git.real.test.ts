import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitWorkspaceOptions, gitWorkspace, type SavedOutcome } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { GIT_ENV, jobOf, type TestRemote, testRemote } from '../support/git.ts';

const done: SavedOutcome = { kind: 'parked', message: '' };

/** A worker of its own on a machine of its own. */
function workspaceOf(remote: TestRemote, machine = 'one', options: Partial<GitWorkspaceOptions> = {}) {
  const { prepare, save } = gitWorkspace({
    remote: remote.path,
    directory: join(remote.root, machine),
    env: GIT_ENV,
    ...options,
  });
  return { prepare, save: save ?? (() => Promise.reject(new Error('no save'))) };
}

/** Git as the agent uses it. */
const inTree = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, env: GIT_ENV, encoding: 'utf8', stdio: 'pipe' }).trim();

describe.concurrent('gitWorkspace', () => {
  it('[F-40] gives each conversation a branch, which continues on another worker', async () => {
    await using remote = await testRemote({ 'a.txt': 'one\n', 'src/b.txt': 'two\n' });
    const [one, two] = [workspaceOf(remote, 'one'), workspaceOf(remote, 'two')];
    const first = jobOf('ann', 1, 'Add a file\nand more');
    const { cwd } = await one.prepare(first);
    expect(await readFile(join(cwd, 'src/b.txt'), 'utf8')).toBe('two\n');
    await writeFile(join(cwd, 'new file.txt'), 'new\n');
    await rm(join(cwd, 'a.txt'));
    await one.save(first, done);
    expect(remote.show('coxswain/ann', 'new file.txt')).toBe('new\n');
    expect(remote.show('coxswain/ann', 'a.txt')).toBeUndefined();
    expect(remote.show('main', 'a.txt')).toBe('one\n');
    expect(remote.git('log', '-1', '--format=%an <%ae>|%B', 'coxswain/ann')).toBe(
      `Coxswain <coxswain@localhost>|Add a file\n\nTurn: ${first.id}\nConversation: ann\nOutcome: parked`,
    );
    const second = jobOf('ann', 2);
    const there = await two.prepare(second);
    expect(await readFile(join(there.cwd, 'new file.txt'), 'utf8')).toBe('new\n');
    await two.save(second, done);
    // Nothing changed, so nothing was committed.
    expect(remote.git('rev-list', '--count', 'main..coxswain/ann')).toBe('1');
  });

  it('[F-40] two conversations that change the same file do not meet', async () => {
    await using remote = await testRemote({ 'a.txt': 'one\n' });
    const { prepare, save } = workspaceOf(remote);
    const jobs = ['ann', 'Ann', 'a/b', 'a-b'].map((key) => jobOf(key, 1));
    const places = await Promise.all(jobs.map((job) => prepare(job)));
    expect(new Set(places.map(({ cwd }) => cwd)).size).toBe(4);
    await Promise.all(places.map(({ cwd }, n) => writeFile(join(cwd, 'a.txt'), `${n}\n`)));
    await Promise.all(jobs.map((job) => save(job, done)));
    const branches = remote.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/coxswain').split('\n');
    expect(branches).toHaveLength(4);
    expect(new Set(branches.map((branch) => branch.toLowerCase())).size).toBe(4);
    expect(new Set(branches.map((branch) => remote.show(branch, 'a.txt')))).toEqual(
      new Set(['0\n', '1\n', '2\n', '3\n']),
    );
  });

  it('[F-40] keeps the commits of the agent, and adds what it did not commit', async () => {
    await using remote = await testRemote({ 'a.txt': 'one\n' });
    const { prepare, save } = workspaceOf(remote);
    const job = jobOf('ann', 1);
    const { cwd } = await prepare(job);
    expect(inTree(cwd, 'status', '--short', '--branch')).toBe('## coxswain/ann');
    expect(inTree(cwd, 'remote', 'get-url', 'origin')).toBe(remote.path);
    await writeFile(join(cwd, 'a.txt'), 'two\n');
    inTree(cwd, 'commit', '--quiet', '--all', '--message', 'By the agent');
    await writeFile(join(cwd, 'b.txt'), 'three\n');
    await save(job, done);
    expect(remote.git('log', '--format=%s', 'main..coxswain/ann')).toBe('Change a file\nBy the agent');
    // The next turn sees them as committed, on the same worker, too.
    const next = await prepare(jobOf('ann', 2));
    expect(inTree(next.cwd, 'status', '--short')).toBe('');
    expect(inTree(next.cwd, 'log', '--format=%s')).toBe('Change a file\nBy the agent\nA change');
  });

  it('[F-40] keeps the checkout with ignored files for the next turn, unless another worker had the conversation', async () => {
    await using remote = await testRemote({ '.gitignore': 'node_modules\n' });
    const { prepare, save } = workspaceOf(remote, 'one', { keep: 1 });
    const turn = async (key: string, epoch: number): Promise<boolean> => {
      const { cwd } = await prepare(jobOf(key, epoch));
      const kept = existsSync(join(cwd, 'node_modules/a'));
      await mkdir(join(cwd, 'node_modules'), { recursive: true });
      await writeFile(join(cwd, 'node_modules/a'), '');
      await save(jobOf(key, epoch), done);
      return kept;
    };
    expect(await turn('ann', 1)).toBe(false);
    expect(await turn('ann', 2)).toBe(true);
    expect(await turn('ann', 4)).toBe(false);
    expect(await turn('ben', 1)).toBe(false);
    // Only one is kept.
    expect(await turn('ann', 5)).toBe(false);
  });

  it('[F-40] a commit of a reviewer on the branch is merged; a conflict fails the turn, and its work is on another branch', async () => {
    await using remote = await testRemote({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
    const { prepare, save } = workspaceOf(remote);
    const first = jobOf('ann', 1);
    await writeFile(join((await prepare(first)).cwd, 'a.txt'), 'agent\n');
    await save(first, done);
    const second = jobOf('ann', 2);
    await writeFile(join((await prepare(second)).cwd, 'a.txt'), 'agent again\n');
    remote.commit('coxswain/ann', { 'b.txt': 'reviewer\n' });
    await save(second, done);
    expect([remote.show('coxswain/ann', 'a.txt'), remote.show('coxswain/ann', 'b.txt')]).toEqual([
      'agent again\n',
      'reviewer\n',
    ]);
    const third = jobOf('ann', 3);
    await writeFile(join((await prepare(third)).cwd, 'a.txt'), 'agent, third\n');
    remote.commit('coxswain/ann', { 'a.txt': 'reviewer\n' });
    await expect(save(third, done)).rejects.toMatchObject({
      code: 'workspace',
      message: expect.stringContaining(
        `both have changed a.txt. The files of the turn are on the branch coxswain/ann-${third.id}`,
      ),
    });
    expect(remote.show('coxswain/ann', 'a.txt')).toBe('reviewer\n');
    expect(remote.show(`coxswain/ann-${third.id}`, 'a.txt')).toBe('agent, third\n');
    // The next turn begins with what the reviewer pushed.
    expect(await readFile(join((await prepare(jobOf('ann', 4))).cwd, 'a.txt'), 'utf8')).toBe('reviewer\n');
  });

  it('[F-40] a refused push fails the turn with the reason, and its commit stays on the worker', async () => {
    await using remote = await testRemote({ 'a.txt': 'one\n' });
    await writeFile(join(remote.path, 'hooks/pre-receive'), '#!/bin/sh\necho "no pushes on Fridays" >&2\nexit 1\n', {
      mode: 0o755,
    });
    const { prepare, save } = workspaceOf(remote);
    const job = jobOf('ann', 1);
    const { cwd } = await prepare(job);
    await writeFile(join(cwd, 'a.txt'), 'two\n');
    const error = await save(job, done).catch((failure: Error) => failure.message);
    expect(error).toContain('no pushes on Fridays');
    const [, commit = '', mirror = ''] = /the commit ([0-9a-f]{40}) in (\S+) on /.exec(String(error)) ?? [];
    // The next turn begins without them.
    expect(await readFile(join((await prepare(jobOf('ann', 2))).cwd, 'a.txt'), 'utf8')).toBe('one\n');
    expect(inTree(mirror, 'show', `${commit}:a.txt`)).toBe('two');
    expect(inTree(mirror, 'for-each-ref', '--format=%(refname)', 'refs/unsaved')).toBe(`refs/unsaved/${job.id}`);
  });

  it('[F-40] keeps the commits of the agent and conflicts also if the id of the turn is no name for Git', async () => {
    await using remote = await testRemote({ 'a.txt': 'one\n' });
    const { prepare, save } = workspaceOf(remote);
    const job = { ...jobOf('ann', 1), id: 'order 7..:^~' };
    const { cwd } = await prepare(job);
    await writeFile(join(cwd, 'a.txt'), 'two\n');
    inTree(cwd, 'commit', '--quiet', '--all', '--message', 'By the agent');
    // Another history.
    remote.commit('coxswain/ann', { 'a.txt': 'reviewer\n' });
    await expect(save(job, done)).rejects.toThrow(/cannot be merged\. .* are on the branch coxswain\/ann-order-7-/);
    const branches = remote.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/coxswain/').split('\n');
    const aside = branches.find((name) => name.startsWith('coxswain/ann-order')) ?? '';
    expect(remote.git('log', '-1', '--format=%s', aside)).toBe('By the agent');
  });

  it('[F-40] a remote whose password changes is copied once', async () => {
    await using remote = await testRemote({ 'a.txt': 'one\n' });
    const urls = [1, 2].map((token) => `https://ann:token${token}@example.com/app.git`);
    const settings = urls.flatMap((url, n) => [
      [`GIT_CONFIG_KEY_${n}`, `url.${remote.path}.insteadOf`],
      [`GIT_CONFIG_VALUE_${n}`, url],
    ]);
    const env = { ...GIT_ENV, GIT_CONFIG_COUNT: '2', ...Object.fromEntries(settings) };
    const { prepare } = workspaceOf(remote, 'one', { env, remote: ({ epoch }) => urls[epoch - 1] ?? '' });
    await prepare(jobOf('ann', 1));
    const { cwd } = await prepare(jobOf('ben', 2));
    expect(inTree(cwd, 'remote', 'get-url', 'origin')).toBe('https://example.com/app.git');
    const mirrors = await readdir(join(remote.root, 'one/mirrors'));
    expect(mirrors).toHaveLength(1);
  });

  it('[F-40] saves nothing silently in part: repositories below the checkout fail the turn, the rest is saved', async () => {
    await using remote = await testRemote({ 'a.txt': 'one\n' });
    const { prepare, save } = workspaceOf(remote);
    const job = jobOf('ann', 1);
    const { cwd } = await prepare(job);
    await mkdir(join(cwd, 'vendor'));
    inTree(join(cwd, 'vendor'), 'init', '--quiet');
    await writeFile(join(cwd, 'vendor/b.txt'), '');
    await writeFile(join(cwd, 'a.txt'), 'two\n');
    await expect(save(job, done)).rejects.toThrow('The files in vendor/ were not saved');
    expect(remote.show('coxswain/ann', 'a.txt')).toBe('two\n');
  });

  it('[F-40] begins in an empty repository, and from a branch or a tag', async () => {
    await using remote = await testRemote();
    const empty = workspaceOf(remote);
    const job = jobOf('ann', 1);
    const { cwd } = await empty.prepare(job);
    await empty.save(job, done);
    expect(remote.git('for-each-ref')).toBe('');
    const next = jobOf('ann', 2);
    await writeFile(join((await empty.prepare(next)).cwd, 'a.txt'), 'first\n');
    await empty.save(next, done);
    expect(remote.show('coxswain/ann', 'a.txt')).toBe('first\n');
    expect(existsSync(cwd)).toBe(true);
    remote.git('tag', '-a', '-m', 'x', 'v1', 'coxswain/ann');
    remote.commit('coxswain/ann', { 'a.txt': 'second\n' });
    const tagged = await workspaceOf(remote, 'two', { ref: 'v1' }).prepare(jobOf('ben', 1));
    expect(await readFile(join(tagged.cwd, 'a.txt'), 'utf8')).toBe('first\n');
    const branched = await workspaceOf(remote, 'two', { ref: 'coxswain/ann' }).prepare(jobOf('ben', 1));
    expect(await readFile(join(branched.cwd, 'a.txt'), 'utf8')).toBe('second\n');
    await expect(workspaceOf(remote, 'two', { ref: 'v2' }).prepare(jobOf('ben', 1))).rejects.toThrow('"v2"');
  });
});

describe.concurrent('what an agent writes into its checkout', () => {
  it('[F-41] runs no program in the worker: hooks, settings, filters, monitors and repositories below', async () => {
    await using remote = await testRemote({ 'a.txt': 'one\n', 'sub/x.txt': 'x\n' });
    const { prepare, save } = workspaceOf(remote);
    const first = jobOf('ann', 1);
    const { cwd } = await prepare(first);
    const mark = join(remote.root, 'ran');
    const payload = `touch ${mark}`;
    await mkdir(join(cwd, '.git/hooks'), { recursive: true });
    for (const hook of [
      'pre-commit',
      'post-commit',
      'pre-push',
      'reference-transaction',
      'post-index-change',
      'post-checkout',
    ])
      await writeFile(join(cwd, '.git/hooks', hook), `#!/bin/sh\n${payload}\n`, { mode: 0o755 });
    const settings = `[core]\nfsmonitor = ${payload}\nsshCommand = ${payload}\nhooksPath = ${cwd}/.git/hooks
[filter "evil"]\nclean = ${payload}\nsmudge = ${payload}\nprocess = ${payload}\nrequired = true
[uploadpack]\npackObjectsHook = ${payload}\n[diff]\nexternal = ${payload}\n[credential]\nhelper = "!${payload}"
[remote "origin"]\nuploadpack = ${payload}\nreceivepack = ${payload}\n`;
    await appendFile(join(cwd, '.git/config'), settings);
    await writeFile(join(cwd, '.gitattributes'), '* filter=evil diff=evil merge=evil\n');
    // A repository in place of tracked files, and a submodule.
    inTree(join(cwd, 'sub'), 'init', '--quiet');
    await appendFile(join(cwd, 'sub/.git/config'), settings);
    await writeFile(join(cwd, '.gitmodules'), `[submodule "m"]\npath = m\nurl = ext::sh -c "${payload}"\n`);
    await writeFile(join(cwd, 'a.txt'), 'two\n');
    await save(first, done);
    const second = jobOf('ann', 2);
    await writeFile(join((await prepare(second)).cwd, 'a.txt'), 'three\n');
    await save(second, done);
    expect(remote.show('coxswain/ann', 'a.txt')).toBe('three\n');
    expect(remote.show('coxswain/ann', '.gitattributes')).toContain('evil');
    expect(existsSync(mark)).toBe(false);
  });

  it('[F-41] a changed submodule runs no program either', async () => {
    await using library = await testRemote({ 'l.txt': 'l\n' });
    await using remote = await testRemote({ 'a.txt': 'one\n' });
    const commit = library.git('rev-parse', 'main');
    // A tree with a submodule.
    const index = join(remote.root, 'index');
    const env = { ...GIT_ENV, GIT_INDEX_FILE: index, GIT_DIR: remote.path };
    const git = (...args: string[]): string => execFileSync('git', args, { env, encoding: 'utf8' }).trim();
    git('read-tree', 'main');
    git('update-index', '--add', '--cacheinfo', `160000,${commit},lib`);
    git('update-ref', 'refs/heads/main', git('commit-tree', git('write-tree'), '-p', 'main', '-m', 'x'));
    const { prepare, save } = workspaceOf(remote);
    const job = jobOf('ann', 1);
    const { cwd } = await prepare(job);
    const mark = join(remote.root, 'ran');
    inTree(cwd, 'clone', '--quiet', library.path, 'lib');
    await appendFile(join(cwd, 'lib/.git/config'), `[core]\nfsmonitor = touch ${mark}\n`);
    await writeFile(join(cwd, 'lib/l.txt'), 'changed\n');
    await writeFile(join(cwd, 'a.txt'), 'two\n');
    await save(job, done);
    expect(remote.show('coxswain/ann', 'a.txt')).toBe('two\n');
    expect(existsSync(mark)).toBe(false);
  });

  it('[F-41] cannot read commits from elsewhere: a replaced repository counts as files only', async () => {
    await using other = await testRemote({ 'secret.txt': 'secret\n' });
    await using remote = await testRemote({ 'a.txt': 'one\n' });
    const { prepare, save } = workspaceOf(remote);
    const attacks: readonly ((cwd: string) => Promise<void>)[] = [
      async (cwd) => {
        await rm(join(cwd, '.git'), { recursive: true });
        await symlink(other.path, join(cwd, '.git'));
      },
      async (cwd) => {
        await rm(join(cwd, '.git'), { recursive: true });
        await writeFile(join(cwd, '.git'), `gitdir: ${other.path}\n`);
      },
      async (cwd) => appendFile(join(cwd, '.git/objects/info/alternates'), `${other.path}/objects\n`),
      async (cwd) => {
        await rename(join(cwd, '.git/objects'), join(cwd, '.git/o'));
        await symlink(join(other.path, 'objects'), join(cwd, '.git/objects'));
      },
      async (cwd) => writeFile(join(cwd, '.git/commondir'), `${other.path}\n`),
    ];
    for (const [n, attack] of attacks.entries()) {
      const job = jobOf('ann', n + 1);
      const { cwd } = await prepare(job);
      await attack(cwd);
      await writeFile(join(cwd, 'a.txt'), `${n}\n`);
      await save(job, done);
      expect(remote.show('coxswain/ann', 'a.txt')).toBe(`${n}\n`);
      expect(remote.git('ls-tree', '--name-only', 'coxswain/ann')).toBe('a.txt');
    }
    expect(remote.git('rev-list', '--count', 'coxswain/ann')).toBe(String(attacks.length + 1));
  });
});

describe('gitWorkspace', () => {
  it('[F-40] refuses options and values that Git would misread', async () => {
    // The types refuse these, too.
    for (const options of [
      {},
      { remote: '--upload-pack=touch /tmp/x' },
      { remote: '/r', reff: 'main' },
      { remote: '/r', directory: 'relative' },
      { remote: '/r', keep: -1 },
      { remote: '/r', author: { name: 'x' } },
    ])
      expect(() => gitWorkspace(options as GitWorkspaceOptions), JSON.stringify(options)).toThrow('Invalid argument');
    await using remote = await testRemote({ 'a.txt': 'one\n' });
    for (const bad of [{ remote: () => '--x' }, { branch: () => '-x' }, { branch: () => 'a..b' }, { ref: () => 'x y' }])
      await expect(workspaceOf(remote, 'one', bad).prepare(jobOf('ann', 1))).rejects.toMatchObject({
        code: 'workspace',
      });
    const missing = workspaceOf(remote, 'one', { remote: 'https://ann:secret@127.0.0.1:1/x.git' });
    await expect(missing.prepare(jobOf('ann', 1))).rejects.toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    );
  });
});
