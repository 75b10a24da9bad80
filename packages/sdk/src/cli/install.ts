import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { reasonOf, systemCodeOf } from '../errors/base.ts';
import { CliInstallError } from '../errors/start.ts';
import { readRegular } from '../files/regular-file.ts';
import { safely } from '../report/safely.ts';
import { abortError } from '../timing/caller.ts';
import { cacheFolder } from './folders.ts';
import { downloadTarball, expectedIntegrity, NpmFailure, type PackageWanted } from './install-download.ts';
import { withLock } from './install-lock.ts';
import { unpack } from './install-unpack.ts';
import { platformBuild } from './npm-package.ts';
import { PINNED_VERSION } from './version.ts';

/** The progress of an install; bytes are counted per phase. */
export interface InstallProgress {
  readonly phase: 'waiting' | 'resolving' | 'downloading' | 'unpacking' | 'done';
  readonly receivedBytes?: number;
  readonly totalBytes?: number;
}

/** Where the SDK keeps copies of the CLI. */
export interface InstalledCopiesOptions {
  /** By default the SDK's cache folder, which depends on `env`. */
  readonly cacheDir?: string | undefined;
  /** The environment for npm, which also determines the cache folder. By default the host's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Which release to install, and how. */
export interface InstallCliOptions extends InstalledCopiesOptions {
  /** An exact version; by default {@link PINNED_VERSION}. */
  readonly version?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: InstallProgress) => void) | undefined;
}

/** An installed copy of the CLI, ready to run. */
export interface InstalledCli {
  readonly path: string;
  readonly version: string;
}

/** A copy of the CLI in the SDK's cache. */
export interface InstalledCopy extends InstalledCli {
  readonly bytes: number;
  /** False if its files have changed since the install; installing it again repairs it. */
  readonly intact: boolean;
}

/**
 * Returns the SDK's own copy of the CLI, the one `cli: 'pinned'` uses, and installs it from the npm registry if it is
 * missing or damaged. @throws CliInstallError, AbortError
 */
export function installCli(options: InstallCliOptions = {}): Promise<InstalledCli> {
  // Enough for a third of a gigabyte over a slow connection.
  return installWithin(15 * 60_000, options);
}

/** Like `installCli`; `timeoutMs` limits the wait for another install and each run of npm. */
export async function installWithin(timeoutMs: number, options: InstallCliOptions): Promise<InstalledCli> {
  const copy = copyOf(options);
  const { path, version, folder: directory } = copy;
  if (await isIntact(copy)) return { path, version };
  try {
    await installLocked(copy, options, timeoutMs);
  } catch (error) {
    if (options.signal?.aborted) throw abortError(options.signal);
    throw new CliInstallError(`${reasonOf(error)}. ${hintFor(error, copy)}`, { version, directory, cause: error });
  }
  report(options, { phase: 'done' });
  return { path, version };
}

/** The installed copies, sorted by version. @throws CliInstallError when there is no folder for them */
export async function installedClis(options: InstalledCopiesOptions = {}): Promise<readonly InstalledCopy[]> {
  const { root, build } = copyOf(options);
  const names = (await readdir(root).catch(() => [])).filter((name) => name.endsWith(`-${build}`));
  const versions = names.map((name) => name.slice(0, -`-${build}`.length)).sort();
  return Promise.all(
    versions.map(async (version) => {
      const { path, intact } = await findPinned({ ...options, version });
      const bytes = (await stat(path).catch(() => undefined))?.size ?? 0;
      return { version, path, bytes, intact };
    }),
  );
}

/** The location of the SDK's own copy, and whether it is intact. @throws CliInstallError */
export async function findPinned(options: InstallCliOptions): Promise<Copy & { readonly intact: boolean }> {
  const copy = copyOf(options);
  return { ...copy, intact: await isIntact(copy) };
}

/** A release of the CLI in the SDK's cache, installed or not. */
interface Copy extends InstalledCli, PackageWanted {
  /** The folder of all copies. */
  readonly root: string;
  /** The folder of this copy. */
  readonly folder: string;
}

function copyOf({ version = PINNED_VERSION, cacheDir, env = process.env }: InstallCliOptions): Copy {
  const cache = cacheDir ?? cacheFolder(env, process.platform);
  const { id: build, binary } = platformBuild(process.platform);
  const root = resolve(cache ?? '', 'cli');
  const folder = join(root, `${version}-${build}`);
  const problem = !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)
    ? 'cliVersion must be an exact version such as 2.1.200'
    : cache === undefined
      ? 'there is no home folder to keep it in; set XDG_CACHE_HOME'
      : undefined;
  if (problem) throw new CliInstallError(problem, { version, directory: folder });
  return { version, name: `@anthropic-ai/claude-code-${build}`, build, root, folder, path: join(folder, binary) };
}

async function installLocked(copy: Copy, options: InstallCliOptions, timeoutMs: number): Promise<void> {
  await mkdir(copy.root, { recursive: true, mode: 0o700 });
  const onWait = (): void => report(options, { phase: 'waiting' });
  await withLock(`${copy.folder}.lock`, { timeoutMs, signal: options.signal, onWait }, async () => {
    if (await isIntact(copy)) return;
    await removeLeftovers(copy);
    const draft = await mkdtemp(`${copy.folder}.draft-`);
    try {
      await fill(draft, copy, options, timeoutMs);
      await putInPlace(draft, copy.folder);
    } finally {
      await rm(draft, { recursive: true, force: true }).catch(() => {});
    }
  });
}

/** While the lock is held no other process installs this version, so existing drafts belong to processes that died. */
async function removeLeftovers({ root, folder }: Copy): Promise<void> {
  for (const path of (await readdir(root)).map((name) => join(root, name))) {
    if (path.startsWith(`${folder}.draft-`)) await rm(path, { recursive: true, force: true });
  }
}

async function fill(draft: string, copy: Copy, options: InstallCliOptions, timeoutMs: number): Promise<void> {
  const { env = process.env, signal, onProgress } = options;
  const download = join(draft, 'download');
  await mkdir(download);
  // A separate project: the project in the working directory must not choose the registry.
  await writeFile(join(download, 'package.json'), '{"private":true}');
  const npm = { cwd: download, env, timeoutMs, signal };
  report(options, { phase: 'resolving' });
  const expected = await expectedIntegrity(copy, npm);
  report(options, { phase: 'downloading' });
  const received = (receivedBytes: number): void => report(options, { phase: 'downloading', receivedBytes });
  const tarball = await downloadTarball(copy, npm, onProgress && received);
  await unpackChecked(tarball, expected, draft, copy, options);
  await rm(download, { recursive: true });
}

async function unpackChecked(
  tarball: string,
  expected: string,
  draft: string,
  { name, version, path }: Copy,
  options: InstallCliOptions,
): Promise<void> {
  const totalBytes = (await stat(tarball)).size;
  const program = basename(path);
  const targets = [program, 'package.json', 'LICENSE.md'].map(
    (file) => [`package/${file}`, join(draft, file)] as const,
  );
  const unpacked = (receivedBytes: number): void => report(options, { phase: 'unpacking', receivedBytes, totalBytes });
  const { integrity, files } = await unpack(tarball, new Map(targets), unpacked, options.signal);
  if (!expected.split(/\s+/).includes(integrity)) {
    throw new Error(`the tarball of ${name} is not the published one (${integrity}, expected ${expected})`);
  }
  const sha512 = files.get(`package/${program}`);
  if (sha512 === undefined) throw new Error(`${name}@${version} contains no file ${program}`);
  if (JSON.parse(await readFile(join(draft, 'package.json'), 'utf8')).version !== version) {
    throw new Error(`the registry returned a different version of ${name} than ${version}`);
  }
  const binary = join(draft, program);
  await chmod(binary, 0o755);
  const { size, mtimeMs } = await stat(binary);
  await writeRecord(draft, { version, package: name, integrity, size, mtimeMs, sha512 });
}

async function putInPlace(draft: string, folder: string): Promise<void> {
  const damaged = `${draft}-old`;
  await rename(folder, damaged).catch(() => {});
  await rename(draft, folder);
  await rm(damaged, { recursive: true, force: true }).catch(() => {});
}

/** A failing listener does not stop the install. */
function report(options: InstallCliOptions, progress: InstallProgress): void {
  safely(() => options.onProgress?.(progress));
}

function hintFor(cause: unknown, { name, version }: Copy): string {
  const code = cause instanceof NpmFailure ? cause.npmCode : undefined;
  const systemCode = systemCodeOf(cause);
  if (code === 'ENOENT') return 'Install npm, or install the CLI yourself and pass its path as cli.';
  if (code === 'E404') return `There is no ${name}@${version}; choose another cliVersion.`;
  if (systemCode === 'ENOSPC') return 'Free disk space, or set XDG_CACHE_HOME to a folder on another disk.';
  if (['EACCES', 'EPERM', 'EROFS'].includes(systemCode)) {
    return 'Make the folder writable, or set XDG_CACHE_HOME to one that is.';
  }
  if (cause instanceof NpmFailure) {
    return "Check the network and npm's registry and proxy settings (npm config list), or install the CLI yourself and pass its path as cli.";
  }
  return 'Try again, or install the CLI yourself and pass its path as cli.';
}

/** Stored beside an installed binary, to detect later changes to it. */
interface InstallRecord {
  readonly version: string;
  readonly package: string;
  /** The tarball that contained it. */
  readonly integrity: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** The binary itself. */
  readonly sha512: string;
}

const RECORD = 'install.json';

/** Writes the record of a binary that was just unpacked. */
async function writeRecord(folder: string, record: InstallRecord): Promise<void> {
  const draft = join(folder, `${RECORD}.${process.pid}`);
  await writeFile(draft, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  await rename(draft, join(folder, RECORD));
}

/** True if the binary is the installed one: compares size and time, and the hash if the time has changed. */
async function isIntact({ folder, path, version }: Copy): Promise<boolean> {
  try {
    if (!isOursAlone(await lstat(folder))) return false;
    const record: InstallRecord = JSON.parse(String(await readRegular(join(folder, RECORD), folder, 16_384)));
    const stats = await stat(path);
    if (record.version !== version || !stats.isFile() || stats.size !== record.size) return false;
    if (stats.mtimeMs === record.mtimeMs) return true;
    if ((await hashOf(path)) !== record.sha512) return false;
    // The cache was restored or copied: store the new time, so that the next start skips the hash.
    await writeRecord(folder, { ...record, mtimeMs: stats.mtimeMs }).catch(() => {});
    return true;
  } catch {
    return false;
  }
}

/** No other user may have write access, because they could choose what runs. Root may own it, as in an image with the CLI. */
function isOursAlone(stats: { uid: number; mode: number; isDirectory(): boolean }): boolean {
  const uid = process.getuid?.();
  if (!stats.isDirectory()) return false;
  return uid === undefined || ((stats.uid === uid || stats.uid === 0) && (stats.mode & 0o022) === 0);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest('base64');
}
