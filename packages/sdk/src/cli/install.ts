import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { reasonOf, systemCodeOf } from '../errors/base.ts';
import { CliInstallError } from '../errors/start.ts';
import { AbortError } from '../errors/stream.ts';
import { downloadTarball, expectedIntegrity, NpmFailure, type PackageWanted } from './install-download.ts';
import { withLock } from './install-lock.ts';
import { isIntact, writeRecord } from './install-record.ts';
import { unpack } from './install-unpack.ts';
import { platformBuild } from './npm-package.ts';
import { cacheFolder } from './usual-places.ts';
import { PINNED_VERSION } from './version.ts';

/** The progress of an install; the bytes are those of the phase. */
export interface InstallProgress {
  readonly phase: 'waiting' | 'resolving' | 'downloading' | 'unpacking' | 'done';
  readonly receivedBytes?: number;
  readonly totalBytes?: number;
}

/** Where the SDK keeps copies of the CLI. */
export interface InstalledCopiesOptions {
  /** By default the SDK's cache folder, which `env` may move. */
  readonly cacheDir?: string | undefined;
  /** The environment of npm, which also determines the cache folder. By default the host's. */
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
  /** False when its files are not those that were installed; installing it again repairs it. */
  readonly intact: boolean;
}

/**
 * Returns the SDK's own copy of the CLI, the one `cli: 'pinned'` uses, and installs it from the npm registry if it is
 * missing or damaged. @throws CliInstallError, AbortError
 */
export function installCli(options: InstallCliOptions = {}): Promise<InstalledCli> {
  return installPinned({ ...options, env: options.env ?? process.env });
}

/** The installed copies, sorted by version. @throws CliInstallError when there is no folder for them */
export async function installedClis(options: InstalledCopiesOptions = {}): Promise<readonly InstalledCopy[]> {
  const where = { env: options.env ?? process.env, cacheDir: options.cacheDir };
  const { folder } = await findPinned(where);
  const suffix = `-${platformBuild(process.platform).id}`;
  const names = await readdir(dirname(folder)).catch(() => []);
  const versions = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
  const copies = versions.sort().map(async (version) => {
    const { binary: path, installed } = await findPinned({ ...where, version });
    const bytes = (await stat(path).catch(() => undefined))?.size ?? 0;
    return { version, path, bytes, intact: installed !== undefined };
  });
  return Promise.all(copies);
}

export interface InstallOptions extends InstallCliOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long to wait for another install, and how long each run of npm may take. */
  readonly timeoutMs?: number | undefined;
}

/** Enough for a third of a gigabyte over a slow connection. */
const TIMEOUT_MS = 15 * 60_000;

/** The same for a given environment. @throws CliInstallError, AbortError */
export async function installPinned(options: InstallOptions): Promise<InstalledCli> {
  const plan = planOf(options);
  try {
    if (await isIntact(plan.folder, plan.binary, plan.version)) return { path: plan.binary, version: plan.version };
    await installLocked(plan, options);
  } catch (error) {
    if (options.signal?.aborted) throw new AbortError(options.signal.reason);
    const { version, folder: directory } = plan;
    throw new CliInstallError(`${reasonOf(error)}. ${hintFor(error, plan)}`, { version, directory, cause: error });
  }
  report(options, { phase: 'done' });
  return { path: plan.binary, version: plan.version };
}

/** The SDK's own copy if it is installed, and its folder. @throws CliInstallError */
export async function findPinned(
  options: Pick<InstallOptions, 'version' | 'cacheDir' | 'env'>,
): Promise<{ folder: string; binary: string; installed: InstalledCli | undefined }> {
  const { folder, binary, version } = planOf(options);
  const intact = await isIntact(folder, binary, version);
  return { folder, binary, installed: intact ? { path: binary, version } : undefined };
}

interface Plan extends PackageWanted {
  readonly root: string;
  readonly folder: string;
  readonly binary: string;
  readonly binaryName: string;
}

function planOf(options: Pick<InstallOptions, 'version' | 'cacheDir' | 'env'>): Plan {
  const version = options.version ?? PINNED_VERSION;
  const cache = options.cacheDir ?? cacheFolder(options.env, process.platform);
  const { id, binary } = platformBuild(process.platform);
  const root = resolve(cache ?? '', 'cli');
  const folder = join(root, `${version}-${id}`);
  const problem = !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)
    ? 'cliVersion must be an exact version such as 2.1.325'
    : cache === undefined
      ? 'there is no home folder to keep it in; set XDG_CACHE_HOME'
      : undefined;
  if (problem) throw new CliInstallError(problem, { version, directory: folder });
  const name = `@anthropic-ai/claude-code-${id}`;
  return { version, name, build: id, root, folder, binary: join(folder, binary), binaryName: binary };
}

async function installLocked(plan: Plan, options: InstallOptions): Promise<void> {
  await mkdir(plan.root, { recursive: true, mode: 0o700 });
  const { signal, timeoutMs = TIMEOUT_MS } = options;
  const onWait = (): void => report(options, { phase: 'waiting' });
  await withLock(`${plan.folder}.lock`, { timeoutMs, signal, onWait }, async () => {
    if (await isIntact(plan.folder, plan.binary, plan.version)) return;
    await removeLeftovers(plan);
    const draft = await mkdtemp(`${plan.folder}.draft-`);
    try {
      await fill(draft, plan, options, timeoutMs);
      await putInPlace(draft, plan);
    } finally {
      await rm(draft, { recursive: true, force: true }).catch(() => {});
    }
  });
}

/** Under the lock no other process installs this version, so its drafts belong to processes that died. */
async function removeLeftovers(plan: Plan): Promise<void> {
  for (const path of (await readdir(plan.root)).map((name) => join(plan.root, name))) {
    if (path.startsWith(`${plan.folder}.draft-`)) await rm(path, { recursive: true, force: true });
  }
}

async function fill(draft: string, plan: Plan, options: InstallOptions, timeoutMs: number): Promise<void> {
  const { env, signal, onProgress } = options;
  const download = join(draft, 'download');
  await mkdir(download);
  // A separate project: the configuration of the project around the working directory must not choose the registry.
  await writeFile(join(download, 'package.json'), '{"private":true}');
  const npm = { cwd: download, env, timeoutMs, signal };
  report(options, { phase: 'resolving' });
  const expected = await expectedIntegrity(plan, npm);
  report(options, { phase: 'downloading' });
  const received = (receivedBytes: number): void => report(options, { phase: 'downloading', receivedBytes });
  const tarball = await downloadTarball(plan, npm, onProgress && received);
  await unpackChecked(tarball, expected, draft, plan, options);
  await rm(download, { recursive: true });
}

async function unpackChecked(
  tarball: string,
  expected: string,
  draft: string,
  { name, version, binaryName }: Plan,
  options: InstallOptions,
): Promise<void> {
  const totalBytes = (await stat(tarball)).size;
  const targets = [binaryName, 'package.json', 'LICENSE.md'].map(
    (file) => [`package/${file}`, join(draft, file)] as const,
  );
  const unpacked = (receivedBytes: number): void => report(options, { phase: 'unpacking', receivedBytes, totalBytes });
  const { integrity, files } = await unpack(tarball, new Map(targets), unpacked, options.signal);
  if (!expected.split(/\s+/).includes(integrity)) {
    throw new Error(`the tarball of ${name} is not the published one (${integrity}, expected ${expected})`);
  }
  const sha512 = files.get(`package/${binaryName}`);
  if (sha512 === undefined) throw new Error(`${name}@${version} holds no file ${binaryName}`);
  if (JSON.parse(await readFile(join(draft, 'package.json'), 'utf8')).version !== version) {
    throw new Error(`the registry sent another version of ${name} than ${version}`);
  }
  const binary = join(draft, binaryName);
  await chmod(binary, 0o755);
  const { size, mtimeMs } = await stat(binary);
  await writeRecord(draft, { version, package: name, integrity, size, mtimeMs, sha512 });
}

async function putInPlace(draft: string, plan: Plan): Promise<void> {
  const damaged = `${draft}-old`;
  await rename(plan.folder, damaged).catch(() => {});
  await rename(draft, plan.folder);
  await rm(damaged, { recursive: true, force: true }).catch(() => {});
}

/** A listener that throws does not stop the install. */
function report(options: InstallOptions, progress: InstallProgress): void {
  try {
    options.onProgress?.(progress);
  } catch {}
}

function hintFor(cause: unknown, plan: Plan): string {
  const code = cause instanceof NpmFailure ? cause.npmCode : undefined;
  const systemCode = systemCodeOf(cause);
  if (code === 'ENOENT') return 'Install npm, or install the CLI yourself and pass its path as cli.';
  if (code === 'E404') return `There is no ${plan.name}@${plan.version}; choose another cliVersion.`;
  if (systemCode === 'ENOSPC') return 'Free disk space, or set XDG_CACHE_HOME to a folder on another one.';
  if (['EACCES', 'EPERM', 'EROFS'].includes(systemCode)) {
    return 'Make the folder writable, or set XDG_CACHE_HOME to one that is.';
  }
  if (cause instanceof NpmFailure) {
    return "Check the network and npm's registry and proxy settings (npm config list), or install the CLI yourself and pass its path as cli.";
  }
  return 'Try again, or install the CLI yourself and pass its path as cli.';
}
