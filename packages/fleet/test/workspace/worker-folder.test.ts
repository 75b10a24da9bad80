import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeAbandoned, WorkerFolder } from '../../src/workspace/worker-folder.ts';

const HOUR = 3_600_000;
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'worker-folder-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A folder whose process is the given one. */
async function folderOf(owner: object): Promise<string> {
  const folder = join(root, String(Math.random()));
  await mkdir(folder);
  await writeFile(join(folder, 'owner.json'), JSON.stringify(owner));
  return folder;
}

it('[F-40] the folder of a dead process is removed a day later, one of an unknown process after a week', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const dead = await folderOf({ host: hostname(), pid });
  const alive = await folderOf({ host: hostname(), pid: process.pid });
  const elsewhere = await folderOf({ host: 'another machine', pid });
  const foreign = join(root, 'something else');
  await mkdir(foreign);
  const left = async (hours: number): Promise<boolean[]> => {
    await removeAbandoned(root, Date.now() + hours * HOUR);
    return [dead, alive, elsewhere, foreign].map((folder) => existsSync(folder));
  };
  expect(await left(23)).toEqual([true, true, true, true]);
  expect(await left(25)).toEqual([false, true, true, true]);
  expect(await left(8 * 24)).toEqual([false, false, false, true]);
});

it('[F-40] two processes on one machine have different folders, which only their user can read', async () => {
  const [one, two] = await Promise.all([new WorkerFolder(root), new WorkerFolder(root)].map((own) => own.pathOf('a')));
  expect(dirname(one ?? '')).not.toBe(dirname(two ?? ''));
});

it('[F-40] a folder that another user could have prepared is refused', async () => {
  const shared = join(root, 'shared');
  await mkdir(shared);
  await chmod(shared, 0o777);
  await expect(new WorkerFolder(shared).pathOf('a')).rejects.toMatchObject({ code: 'workspace' });
  await symlink(root, join(root, 'link'));
  await expect(new WorkerFolder(join(root, 'link')).pathOf('a')).rejects.toMatchObject({ code: 'workspace' });
});
