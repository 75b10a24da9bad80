import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gitWorkspace } from '@coxswain/fleet';

/** @typedef {import('./world.mjs').Bench} Bench */

const FILES = 4_000;
const FILE_BYTES = 12_500;

/**
 * The time to bring the files of conversations to a worker, and to save them, with a large repository on the same machine.
 * @param {Bench} bench
 */
export async function gitFiles({ directory, quick }) {
  const root = mkdtempSync(join(directory, 'git-'));
  try {
    const remote = join(root, 'remote.git');
    const versions = quick ? 1 : 14;
    await createRepository(remote, versions);
    const { prepare, save } = gitWorkspace({ remote, directory: join(root, 'worker') });
    if (save === undefined) throw new Error('A Git workspace saves.');
    /** @type {(key: string, epoch: number) => import('@coxswain/fleet').AgentJob} */
    const job = (key, epoch) => ({ id: `${key}${epoch}`, key, tenant: 't', prompt: 'x', data: {}, attempt: 1, epoch });
    const first = await timed(() => prepare(job('first', 1)));
    const preparing = [];
    const saving = [];
    for (let n = 0; n < 10; n += 1) {
      const own = job(`c${n}`, 1);
      const { ms, value } = await timed(() => prepare(own));
      preparing.push(ms);
      writeFileSync(join(value.cwd, 'd0/f0.txt'), `changed by ${n}\n`);
      saving.push((await timed(() => save(own, { kind: 'parked', message: '' }))).ms);
    }
    const again = await timed(() => prepare(job('c9', 2)));
    const megabytes = Math.round((await packBytes(remote)) / 1e6);
    const what = `repository of ${megabytes} MB, ${FILES} files (${Math.round((FILES * FILE_BYTES) / 1e6)} MB)`;
    return [
      { what: `${what}: first conversation of a worker`, figure: `${(first.ms / 1000).toFixed(1)} s` },
      { what: 'second and later ones, median of 10', figure: `${median(preparing)} ms` },
      { what: 'next turn of a conversation on the same worker', figure: `${Math.round(again.ms)} ms` },
      { what: 'save of one changed file, median of 10', figure: `${median(saving)} ms` },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Every version changes all files. @param {string} path @param {number} versions */
async function createRepository(path, versions) {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', path]);
  const importing = spawn('git', ['--git-dir', path, 'fast-import', '--quiet', '--date-format=now'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const { stdin } = importing;
  for (let version = 0; version < versions; version += 1) {
    stdin.write(`commit refs/heads/main\ncommitter Ann <ann@example.com> now\ndata 1\nv\n`);
    for (let n = 0; n < FILES; n += 1) {
      // Text that cannot be compressed by more than a quarter.
      const text = randomBytes((FILE_BYTES * 3) / 4).toString('base64');
      if (!stdin.write(`M 100644 inline d${n % 100}/f${n}.txt\ndata ${text.length}\n${text}\n`))
        await once(stdin, 'drain');
    }
  }
  stdin.end();
  const [code] = await once(importing, 'close');
  if (code !== 0) throw new Error(`git fast-import exited with ${code}.`);
}

/** @param {string} repository */
async function packBytes(repository) {
  const folder = join(repository, 'objects/pack');
  return (await readdir(folder)).reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0);
}

/** @template T @param {() => Promise<T>} work */
async function timed(work) {
  const from = performance.now();
  const value = await work();
  return { ms: performance.now() - from, value };
}

/** @param {readonly number[]} figures */
function median(figures) {
  return Math.round([...figures].sort((a, b) => a - b)[figures.length >> 1] ?? Number.NaN);
}
