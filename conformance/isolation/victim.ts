import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What an isolated CLI must not reach: another tenant of the same machine, who protects nothing. */
export interface Victim extends AsyncDisposable {
  /** The folder of the tenant, which every user may read and change. */
  readonly folder: string;
  /** Contained in its files and in the environment of its process. */
  readonly secret: string;
  readonly pid: number;
  readonly isRunning: () => boolean;
  /** Of a server on a socket file, on a port of loopback and on an abstract socket. */
  readonly socket: string;
  readonly port: number;
  readonly abstract: string;
  /** How many connections the server has accepted. */
  readonly connections: () => number;
}

/** Starts a victim whose process belongs to this user. */
export async function startVictim(user: { readonly uid?: number; readonly gid?: number }): Promise<Victim> {
  const folder = await mkdtemp(join(tmpdir(), 'cox-victim-'));
  const secret = 'a secret of the victim';
  await chmod(folder, 0o777);
  await mkdir(join(folder, 'work'));
  for (const name of ['secret.txt', 'work/notes.txt']) await writeFile(join(folder, name), secret, { mode: 0o666 });
  const child: ChildProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")'], {
    ...{ env: { VICTIM_SECRET: secret }, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'], ...user },
  });
  if (child.stdout) await once(child.stdout, 'data');
  let connections = 0;
  const listen = async (on: { readonly path?: string; readonly port?: number }): Promise<Server> => {
    const server = createServer((client) => {
      connections += 1;
      client.on('error', () => {});
      client.end(secret);
    });
    server.listen({ host: '127.0.0.1', ...on });
    await once(server, 'listening');
    return server;
  };
  const socket = join(folder, '.s.PGSQL.5432');
  const abstract = `\0${folder}`;
  const onPort = await listen({ port: 0 });
  const servers = [onPort, await listen({ path: socket }), await listen({ path: abstract })];
  await chmod(socket, 0o777);
  const address = onPort.address();
  return {
    ...{ folder, secret, socket, abstract },
    pid: child.pid ?? 0,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      for (const server of servers) server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
