import { isAbsolute, join, resolve } from 'node:path';
import { CliNotFoundError, type SearchedPlace } from '../errors/start.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { type Candidate, DOES_NOT_EXIST, examine } from './candidate.ts';
import { homeFolder, usualFolders } from './folders.ts';
import { findInPackages, findInScope, ownFolder, packageVersionOf } from './npm-package.ts';

/** The CLI that was found, and how. */
export interface FoundCli extends Candidate {
  /** The kind of place where it was found. */
  readonly source: 'option' | 'COXSWAIN_CLI' | 'npm package' | 'PATH' | 'usual place' | 'pinned';
  /** The version of the npm package that contains it. */
  readonly packageVersion?: string;
  /** The places searched before, and why each was skipped. */
  readonly searched: readonly SearchedPlace[];
}

/** The options of a run that determine which CLI it uses. */
export type LocateOptions = Pick<AgentOptions, 'cli' | 'cliVersion' | 'signal'>;

/** What the search depends on besides its options. */
export interface LocateHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly homedir?: string | undefined;
  /** The base of relative paths; default: the working directory. */
  readonly hostCwd?: string | undefined;
  /** Where the search for npm packages starts; default: the library's own folder. */
  readonly from?: string | undefined;
}

/**
 * Finds the CLI. Downloads only for `'pinned'`, which `COXSWAIN_CLI` may also select.
 * @throws CliNotFoundError, for `'pinned'` also CliInstallError and AbortError
 */
export async function locateCli(options: LocateOptions, host: LocateHost): Promise<FoundCli> {
  const { wanted, by } = wantedCli(options.cli, host.env);
  return isPinned(wanted) ? locatePinned(options, host) : new Search(host).run(wanted, by);
}

/**
 * Finds the CLI that `findCli()` would find, synchronously and without a download.
 * @throws CliNotFoundError, also for `'pinned'`
 */
export function findInstalledCli({ cli }: Pick<LocateOptions, 'cli'> = {}): FoundCli {
  const { wanted, by } = wantedCli(cli, process.env);
  return new Search(process).run(wanted, by);
}

/** The keyword or path to use, and its source: `COXSWAIN_CLI` only if the option is `'auto'` or missing. */
export function wantedCli(
  cli: string = 'auto',
  { COXSWAIN_CLI: named }: LocateHost['env'],
): { readonly wanted: string; readonly by: 'option' | 'COXSWAIN_CLI' } {
  return cli === 'auto' && named ? { wanted: named, by: 'COXSWAIN_CLI' } : { wanted: cli, by: 'option' };
}

/** True if the option selects the SDK's own copy. */
export function isPinned(cli: string | undefined): boolean {
  return cli === 'pinned';
}

/** The `FoundCli` of an installed pinned copy. */
export function foundPinned(installed: { path: string; version: string }, platform: string): FoundCli {
  const candidate = examine(installed.path, platform);
  if (typeof candidate === 'string') throw new CliNotFoundError([{ place: installed.path, reason: candidate }]);
  return { ...candidate, source: 'pinned', packageVersion: installed.version, searched: [] };
}

async function locatePinned(options: LocateOptions, host: LocateHost): Promise<FoundCli> {
  const { installCli } = await import('./install.ts');
  const installed = await installCli({ env: host.env, version: options.cliVersion, signal: options.signal });
  return foundPinned(installed, host.platform);
}

/** One search: tries the places in order and collects why each failed. */
class Search {
  readonly #host: LocateHost;
  readonly #searched: SearchedPlace[] = [];

  constructor(host: LocateHost) {
    this.#host = host;
  }

  run(wanted: string, by: 'option' | 'COXSWAIN_CLI'): FoundCli {
    // A path to a missing file is an error, not a reason to run another CLI.
    const isPath = wanted !== 'auto' && wanted !== 'global';
    const packaged = wanted === 'auto' ? this.#inPackages() : undefined;
    const found = isPath ? this.#at(wanted, by) : (packaged ?? this.#global());
    const named = by === 'option' ? 'cli' : by;
    if (!found) throw new CliNotFoundError(this.#searched, isPath ? named : undefined);
    return found;
  }

  #inPackages(): FoundCli | undefined {
    const found = findInPackages(this.#host.from ?? ownFolder(), this.#host.platform, this.#searched);
    return found && this.#found(found, 'npm package');
  }

  #global(): FoundCli | undefined {
    const { env, platform } = this.#host;
    const home = this.#host.homedir ?? homeFolder(env, platform);
    return this.#inFolders(this.#pathFolders(), 'PATH') ?? this.#inFolders(usualFolders(platform, home), 'usual place');
  }

  #pathFolders(): string[] {
    const { env, platform } = this.#host;
    const isWindows = platform === 'win32';
    const name = isWindows ? (Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH') : 'PATH';
    // An empty or relative entry means the working directory, which may contain untrusted files.
    const folders = (env[name] ?? '').split(isWindows ? ';' : ':').filter((folder) => isAbsolute(folder));
    if (folders.length === 0) this.#searched.push({ place: 'PATH', reason: 'names no absolute folder' });
    return folders;
  }

  #inFolders(folders: readonly string[], source: FoundCli['source']): FoundCli | undefined {
    for (const folder of folders) {
      const found =
        this.#host.platform === 'win32'
          ? this.#inWindowsFolder(folder, source)
          : this.#at(join(folder, 'claude'), source);
      if (found) return found;
    }
    return undefined;
  }

  #inWindowsFolder(folder: string, source: FoundCli['source']): FoundCli | undefined {
    const found = this.#at(join(folder, 'claude.exe'), source);
    if (found) return found;
    const shim = join(folder, 'claude.cmd');
    if (examine(shim, 'win32') === DOES_NOT_EXIST) return undefined;
    // npm installs the package of a global shim next to it.
    const behind = findInScope(join(folder, 'node_modules', '@anthropic-ai'), 'win32', this.#searched);
    return behind ? this.#found(behind, source) : this.#at(shim, source);
  }

  #at(file: string, source: FoundCli['source']): FoundCli | undefined {
    const place = resolve(this.#host.hostCwd ?? '', file);
    if (this.#searched.some((searched) => searched.place === place)) return undefined;
    const found = examine(place, this.#host.platform);
    if (typeof found !== 'string') return this.#found(found, source);
    this.#searched.push({ place, reason: found });
    return undefined;
  }

  #found(candidate: Candidate, source: FoundCli['source']): FoundCli {
    const packageVersion = packageVersionOf(candidate.path);
    return {
      source,
      searched: this.#searched,
      ...candidate,
      ...(packageVersion === undefined ? {} : { packageVersion }),
    };
  }
}
