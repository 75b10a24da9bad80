import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { directoryPrefix, sweepStaleDirectories } from '../src/stale-directories.ts';

const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);

it('[K-1] the sweep removes only directories that a dead test process left more than an hour ago', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sweep-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { pid: dead } = spawnSync(process.execPath, ['-e', '']);
  const make = async (name: string, hours: number): Promise<string> => {
    const path = join(folder, name);
    await mkdir(join(path, 'runs'), { recursive: true });
    await writeFile(join(path, 'script.json'), '{}');
    await utimes(path, hoursAgo(hours), hoursAgo(hours));
    return path;
  };
  const stale = await make(`coxswain-scripted-${dead}-a`, 2);
  const home = await make(`coxswain-fake-api-${dead}-a`, 2);
  const fresh = await make(`coxswain-scripted-${dead}-b`, 0.5);
  const living = await make(`${directoryPrefix('scripted')}c`, 2);
  const foreign = await make('coxswain-scripted-someone', 2);
  const elsewhere = await make('elsewhere', 2);
  await symlink(elsewhere, join(stale, 'link'));
  await utimes(stale, hoursAgo(2), hoursAgo(2));
  await sweepStaleDirectories(folder);
  expect([stale, home, fresh, living, foreign, join(elsewhere, 'script.json')].map((path) => existsSync(path))).toEqual(
    [false, false, true, true, true, true],
  );
  await expect(sweepStaleDirectories(join(folder, 'not-there'))).resolves.toBeUndefined();
});
