import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type EmbeddedServer, startEmbedded } from '@coxswain/fleet';
import pg from 'pg';
import { copyPostgresData } from '../../../../scripts/fetch/postgres-data.mjs';
import { BINARIES, sql } from './database.ts';

/** The available releases of PostgreSQL: the embedded one, and Debian's if it is installed. */
export const POSTGRES: readonly { readonly release: string; readonly binaries: string }[] = [
  { release: 'PostgreSQL 18', binaries: BINARIES },
  { release: 'PostgreSQL 15', binaries: '/usr/lib/postgresql/15' },
].filter(({ binaries }) => existsSync(join(binaries, 'bin/postgres')));

/** `immediate`: as `pg_ctl stop -m immediate`. `kill`: SIGKILL of all processes. In both cases the server writes nothing more. */
export type Crash = 'immediate' | 'kill';

/** A server for one test, which may crash it. */
export interface CrashingServer extends AsyncDisposable {
  readonly url: string;
  readonly directory: string;
  /** Creates a role with these settings and returns its URL. */
  role(name: string, settings: Readonly<Record<string, string>>): Promise<string>;
  /** Resolves when all its processes have exited. */
  crash(how: Crash): Promise<void>;
  start(): Promise<void>;
  /** Stops the server gracefully. */
  stop(): Promise<void>;
  /** Copies the data; stops the server meanwhile. */
  keepCopy(): Promise<void>;
  /** Restores the copy, like a failover to a lagging replica; the server must be down. */
  useCopy(): Promise<void>;
}

/** Starts a server in a temporary folder. Its WAL writer is stopped, so a crash undoes every commit that did not wait for the disk. */
export async function crashingServer(binaries: string): Promise<CrashingServer> {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-crash-'));
  await chmod(directory, 0o755);
  if (binaries === BINARIES) copyPostgresData(directory);
  let server: EmbeddedServer = await startEmbedded({ directory, binaries });
  const { url } = server;
  const data = join(directory, 'data');
  const copy = join(directory, 'copy');
  const postmaster = async (): Promise<number> =>
    Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const stopWalWriter = async (): Promise<void> => {
    const pid = await walWriterOf(await postmaster());
    for (;;) {
      signal(pid, 'SIGSTOP');
      while ((await stateOf(pid)) !== 'T') await delay(1);
      if (await sleeps(url, pid)) return;
      // It was stopped with a lock that every commit needs, or first in the queue for one.
      signal(pid, 'SIGCONT');
      await delay(10);
    }
  };
  const start = async (): Promise<void> => {
    server = await startEmbedded({ directory, binaries });
    await stopWalWriter();
  };
  const stop = async (): Promise<void> => {
    const pid = await postmaster().catch(() => 0);
    if (pid !== 0) signal(await walWriterOf(pid).catch(() => 0), 'SIGCONT');
    await server.close();
  };
  await stopWalWriter();
  return {
    url,
    directory,
    stop,
    async role(name, settings) {
      await sql(url, `create role ${name} login superuser`);
      for (const [setting, value] of Object.entries(settings))
        await sql(url, `alter role ${name} set ${setting} to '${value}'`);
      return url.replace('//postgres@', `//${name}@`);
    },
    async crash(how) {
      const pid = await postmaster();
      const walWriter = await walWriterOf(pid);
      const children = await childrenOf(pid);
      signal(pid, how === 'immediate' ? 'SIGQUIT' : 'SIGKILL');
      // A stopped WAL writer cannot exit.
      for (const child of how === 'immediate' ? [walWriter] : children) signal(child, 'SIGKILL');
      await server.close();
    },
    start,
    async keepCopy() {
      await stop();
      await run('cp', ['-a', data, copy]);
      await start();
    },
    async useCopy() {
      await rm(data, { recursive: true, force: true });
      await run('cp', ['-a', copy, data]);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const run = promisify(execFile);

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** The state of a process that runs. */
async function stateOf(pid: number): Promise<string | undefined> {
  return /\) (\w)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1];
}

/** Whether the WAL writer, which has stopped, has no work: then it neither has a lock nor waits for one. */
async function sleeps(url: string, walWriter: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, query_timeout: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('select wait_event from pg_stat_activity where pid = $1', [walWriter]);
    return rows[0]?.wait_event === 'WalWriterMain';
  } catch {
    return false;
  } finally {
    client.connection.stream.destroy();
  }
}

/** It starts after the server accepts its first connections. */
async function walWriterOf(postmaster: number): Promise<number> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await delay(10))
    for (const pid of await childrenOf(postmaster)) {
      const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (title.includes('walwriter')) return pid;
    }
  throw new Error('PostgreSQL has no WAL writer.');
}

/** Returns 0 for a process that has exited. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    if (pid !== 0) process.kill(pid, name);
  } catch {
    // It has just exited.
  }
}
