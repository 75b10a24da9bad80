import { closeSync, fstatSync, lstatSync, mkdirSync, readFileSync, renameSync, rm, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPrivate } from '@coxswain/shared/private-file';
import { parseVersion } from '@coxswain/shared/version';
import { openRegularSync } from '../files/regular-file.ts';
import { createRedactor, secretsIn } from '../redact.ts';
import { cacheFolder } from './folders.ts';
import type { FoundCli } from './locate.ts';
import { type RunOptions, runProgram } from './run-program.ts';
import type { VersionFinding } from './version.ts';

/** How to run a CLI for its version. */
export interface VersionRun extends RunOptions {
  /** The command line that isolates it: a wrapper script may read files of the working directory. */
  readonly within?: readonly string[] | undefined;
}

/** Determines the version of a CLI: from its npm package, from the cache, or with `--version`. Never rejects. */
export async function detectVersion(cli: FoundCli, options: VersionRun): Promise<VersionFinding> {
  return knownVersion(cli) ?? askVersion(cli, options);
}

/** The version, if it can be determined without starting the CLI. */
export function knownVersion(cli: FoundCli): Extract<VersionFinding, { kind: 'found' }> | undefined {
  if (cli.packageVersion !== undefined) return { kind: 'found', version: cli.packageVersion, source: 'package.json' };
  const version = cachedVersion(cli);
  return version === undefined ? undefined : { kind: 'found', version, source: 'cache' };
}

async function askVersion(cli: FoundCli, options: VersionRun): Promise<VersionFinding> {
  const command = [...(options.within ?? []), ...cli.command, '--version'];
  // Longer than any version line, short enough for an error message.
  const ended = await runProgram(command, options, 4_096).catch((error: Error) => error);
  if (ended instanceof Error) return { kind: 'failed', reason: `--version ${ended.message}` };
  const clean = createRedactor(secretsIn(options.env));
  if (ended.exitCode !== 0) {
    const how = ended.signal ? `was ended by ${ended.signal}` : `exited with code ${ended.exitCode}`;
    const output = clean(ended.stderr.trim() || ended.stdout.trim()).slice(0, 500);
    return { kind: 'failed', reason: `--version ${how}${output && `: ${output}`}` };
  }
  const version = parseVersion(ended.stdout);
  if (version === undefined) return { kind: 'unparseable', output: clean(ended.stdout) };
  rememberVersion(cli, version);
  return { kind: 'found', version, source: 'probe' };
}

type CachedCli = Pick<FoundCli, 'path' | 'kind' | 'size' | 'mtimeMs'>;

/** The versions that this process has determined. */
const memory = new Map<string, string>();

/** The version of a binary, if this process or an earlier one determined it and the file has not changed. */
export function cachedVersion(cli: CachedCli): string | undefined {
  if (cli.kind !== 'native') return undefined;
  const key = keyOf(cli);
  const known = memory.get(key) ?? readEntry(cli);
  if (known !== undefined) memory.set(key, known);
  return known;
}

/** Stores the version of a binary for this process and, where the cache folder is writable, for later ones. */
export function rememberVersion(cli: CachedCli, version: string): void {
  if (cli.kind !== 'native' || cachedVersion(cli) === version) return;
  memory.set(keyOf(cli), version);
  writeEntry(cli, version);
}

/** Clears the versions kept in memory, but not the cache files. */
export function forgetVersions(): void {
  memory.clear();
}

function keyOf({ path, size, mtimeMs }: CachedCli): string {
  return `${path}\0${size}\0${mtimeMs}`;
}

function readEntry(cli: CachedCli): string | undefined {
  const folder = entryFolder();
  if (folder === undefined) return undefined;
  try {
    // Another user's entry could hide an outdated CLI, so only a file that no other user can write is trusted.
    if (!isPrivate(lstatSync(folder), 'folder')) return undefined;
    const entry = JSON.parse(readPrivateFile(join(folder, fileNameOf(cli.path))));
    const same = entry.path === cli.path && entry.size === cli.size && entry.mtimeMs === cli.mtimeMs;
    return same ? parseVersion(String(entry.version)) : undefined;
  } catch {
    // Missing, or malformed.
    return undefined;
  }
}

/** Returns '' for a file that others may have written. @throws when it cannot be read */
function readPrivateFile(path: string): string {
  const file = openRegularSync(path);
  try {
    const stats = fstatSync(file);
    return isPrivate(stats, 'file') && stats.size < 16_384 ? readFileSync(file, 'utf8') : '';
  } finally {
    closeSync(file);
  }
}

function writeEntry(cli: CachedCli, version: string): void {
  const folder = entryFolder();
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
    // Without a cache entry the next process runs --version again.
    rm(draft, { force: true }, () => {});
  }
}

function entryFolder(): string | undefined {
  const folder = cacheFolder(process.env, process.platform);
  return folder === undefined ? undefined : join(folder, 'versions');
}

function fileNameOf(path: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `${createHash('sha256').update(path).digest('hex')}.json`;
}
