import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fileBefore } from '../../src/approvals/file-before.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'inspector-before-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const write = (file_path: string) => ({ toolName: 'Write', input: { file_path, content: '' } });

it('[I-8] fileBefore reads the file that a call would change, relative to the folder of the agent', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'a.txt'), 'one\r\ntwo\r\n');
  expect(await fileBefore(write('a.txt'), cwd)).toBe('one\ntwo\n');
  expect(await fileBefore(write(join(cwd, 'a.txt')), cwd)).toBe('one\ntwo\n');
  expect(await fileBefore(write('none.txt'), cwd)).toBe(null);
  expect(await fileBefore({ ...write('a.txt'), toolName: 'Read' }, cwd)).toBe(undefined);
});

it('[I-8] fileBefore does not read links, pipes, folders, devices, large files or files that are not text', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'secret'), 'secret');
  await symlink(join(cwd, 'secret'), join(cwd, 'link'));
  await mkdir(join(cwd, 'folder'));
  await writeFile(join(cwd, 'large'), 'x'.repeat(1024 * 1024 + 1));
  await writeFile(join(cwd, 'bytes'), new Uint8Array([255, 254, 0]));
  await writeFile(join(cwd, 'nul'), 'a\0b');
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  for (const name of ['link', 'folder', 'large', 'bytes', 'nul', 'pipe', '/dev/zero']) {
    expect([name, await fileBefore(write(name), cwd)]).toEqual([name, undefined]);
  }
});

it('[I-8] fileBefore returns undefined for files of another machine', async () => {
  expect(await fileBefore(write('/etc/hostname'), '/nowhere/on/this/machine')).toBe(undefined);
  expect(await fileBefore(write('/etc/hostname'), null)).toBe(undefined);
});
