import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '../redact.ts';
import { secretsIn } from '../secrets.ts';
import type { FoundCli } from './locate.ts';
import { runProgram } from './run-program.ts';
import { cacheFolder } from './usual-places.ts';
import { parseVersion, type VersionFinding } from './version.ts';

/** How a version is found out. */
export interface DetectOptions {
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly cacheDir?: string | undefined;
}

/** Finds out the version of a CLI: from its npm package, else from the cache, else by asking it. Never rejects. */
export async function detectVersion(cli: FoundCli, options: DetectOptions): Promise<VersionFinding> {
  return knownVersion(cli, options.cacheDir) ?? askVersion(cli, options);
}

/** The version as far as it is known without starting anything. */
export function knownVersion(cli: FoundCli, cacheDir?: string): VersionFinding | undefined {
  if (cli.packageVersion !== undefined) return { kind: 'found', version: cli.packageVersion, source: 'package.json' };
  const version = cachedVersion(cli, cacheDir);
  return version === undefined ? undefined : { kind: 'found', version, source: 'cache' };
}

/** More than any version line, little enough to show. */
const KEEP_BYTES = 4_096;

async function askVersion(cli: FoundCli, options: DetectOptions): Promise<VersionFinding> {
  const { cwd, env, timeoutMs, signal } = options;
  const command = [...cli.command, '--version'];
  const ended = await runProgram(command, { cwd, env, timeoutMs, signal, keepBytes: KEEP_BYTES });
  if (ended.kind !== 'exited') return { kind: 'failed', reason: `--version ${ended.reason}` };
  const clean = createRedactor(secretsIn(env));
  if (ended.exitCode !== 0) {
    const how = ended.signal ? `was ended by ${ended.signal}` : `exited with code ${ended.exitCode}`;
    const said = clean(ended.complaint.trim() || ended.output.trim()).slice(0, 500);
    return { kind: 'failed', reason: `--version ${how}${said && `: ${said}`}` };
  }
  const version = parseVersion(ended.output);
  if (version === undefined) return { kind: 'unparseable', output: clean(ended.output) };
  rememberVersion(cli, version, options.cacheDir);
  return { kind: 'found', version, source: 'probe' };
}

type CachedCli = Pick<FoundCli, 'path' | 'kind' | 'size' | 'mtimeMs'>;

/** Versions learnt by this process. */
const memory = new Map<string, string>();

/** The version of a binary, if it is known from this process or an earlier one and the file is still the same. */
export function cachedVersion(cli: CachedCli, cacheDir?: string): string | undefined {
  if (cli.kind !== 'native') return undefined;
  const key = keyOf(cli);
  const known = memory.get(key) ?? readEntry(cli, cacheDir);
  if (known !== undefined) memory.set(key, known);
  return known;
}

/** Keeps the version of a binary for this process and, where the cache folder can be written, for later ones. */
export function rememberVersion(cli: CachedCli, version: string, cacheDir?: string): void {
  if (cli.kind !== 'native' || cachedVersion(cli, cacheDir) === version) return;
  memory.set(keyOf(cli), version);
  writeEntry(cli, version, cacheDir);
}

/** Forgets what this process has learnt; files stay. */
export function forgetVersions(): void {
  memory.clear();
}

function keyOf({ path, size, mtimeMs }: CachedCli): string {
  return `${path}\0${size}\0${mtimeMs}`;
}

function readEntry(cli: CachedCli, cacheDir: string | undefined): string | undefined {
  const folder = entryFolder(cacheDir);
  if (folder === undefined) return undefined;
  try {
    // Somebody else's entry could hide an outdated CLI, so only a file that no one else can have written counts.
    if (!isPrivate(lstatSync(folder), 'folder')) return undefined;
    const text = readPrivateFile(join(folder, fileNameOf(cli.path)));
    const entry: unknown = text === undefined ? undefined : JSON.parse(text);
    return isEntryOf(entry, cli) ? parseVersion(entry.version) : undefined;
  } catch {
    return undefined;
  }
}

function readPrivateFile(path: string): string | undefined {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const stats = fstatSync(file);
    return isPrivate(stats, 'file') && stats.size < 16_384 ? readFileSync(file, 'utf8') : undefined;
  } finally {
    closeSync(file);
  }
}

function writeEntry(cli: CachedCli, version: string, cacheDir: string | undefined): void {
  const folder = entryFolder(cacheDir);
  if (folder === undefined) return;
  const file = join(folder, fileNameOf(cli.path));
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isPrivate(lstatSync(folder), 'folder')) return;
    const { path, size, mtimeMs } = cli;
    writeFileSync(draft, JSON.stringify({ path, size, mtimeMs, version }), { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch {
    // A cache that cannot be written costs a probe the next time, nothing else.
    removeQuietly(draft);
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

function entryFolder(cacheDir: string | undefined): string | undefined {
  const folder = cacheDir ?? cacheFolder(process.env, process.platform);
  return folder === undefined ? undefined : join(folder, 'versions');
}

/** Owned by this user and closed to all others; on Windows the profile folder's own rights have to do. */
function isPrivate(stats: Stats, kind: 'file' | 'folder'): boolean {
  if (kind === 'file' ? !stats.isFile() : !stats.isDirectory()) return false;
  const uid = process.getuid?.();
  return uid === undefined || (stats.uid === uid && (stats.mode & 0o077) === 0);
}

/** A short name for a path; two paths with the same one only take turns, since the entry itself names its path. */
function fileNameOf(path: string): string {
  let high = 0x811c9dc5;
  let low = 0x01000193;
  for (let index = 0; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b);
  }
  return `${(high >>> 0).toString(16)}${(low >>> 0).toString(16)}.json`;
}

function isEntryOf(entry: unknown, cli: CachedCli): entry is { version: string } {
  if (typeof entry !== 'object' || entry === null) return false;
  const { path, size, mtimeMs, version } = entry as Record<string, unknown>; // any object can be read by key
  return path === cli.path && size === cli.size && mtimeMs === cli.mtimeMs && typeof version === 'string';
}
