import { CliInstallError, CliNotFoundError, type SearchedPlace } from '../errors/start.ts';
import { defaultLimits } from '../limits.ts';
import { detectVersion } from './detect-version.ts';
import { buildEnv, type EnvOptions } from './environment.ts';
import { type FoundCli, foundPinned, isPinned, type LocateHost, locateCli, wantedCli } from './locate.ts';
import { compareVersions, minimumFor, PINNED_VERSION, type RunMode, type VersionFinding } from './version.ts';

/** Which CLI to inspect; the defaults are those of a run. */
export interface InspectOptions {
  /** `'auto'` (default), `'global'`, `'pinned'` (never installed here) or a path. */
  readonly cli?: string | undefined;
  readonly cliVersion?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: EnvOptions['env'];
  readonly inheritEnv?: EnvOptions['inheritEnv'];
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a CLI is new enough; `unknown` when its version is not known. */
export type Support = 'yes' | 'no' | 'unknown';

/** Where the search looked, which CLI it found, and what that supports. Plain data that survives JSON. */
export interface CliInspection {
  /** The CLI a run with the same options would use. */
  readonly found: Omit<FoundCli, 'searched' | 'packageVersion'> | undefined;
  /** The places searched before it, or all of them when nothing was found, each with the reason. */
  readonly searched: readonly SearchedPlace[];
  /** Its version and the source of it. */
  readonly version: VersionFinding | undefined;
  readonly supported: Readonly<Record<RunMode, Support>>;
  readonly minimum: Readonly<Record<RunMode, string>>;
  /** The version that `cli: 'pinned'` uses. */
  readonly pinned: string;
}

/** Finds the CLI that a run would use and checks its version. Never throws and never downloads. */
export async function inspectCli(options: InspectOptions = {}, host: LocateHost = process): Promise<CliInspection> {
  const wanted = wantedCli(options.cli, host.env);
  const { cli, searched } = isPinned(wanted) ? await searchPinned(options, host) : await search(options, host);
  const version = cli && (await versionOf(cli, options, host));
  return {
    found: cli && describe(cli),
    searched,
    version,
    supported: { query: supportOf(version, 'query'), session: supportOf(version, 'session') },
    minimum: { query: minimumFor('query'), session: minimumFor('session') },
    pinned: PINNED_VERSION,
  };
}

interface SearchOutcome {
  readonly cli: FoundCli | undefined;
  readonly searched: readonly SearchedPlace[];
}

async function search({ cli }: InspectOptions, host: LocateHost): Promise<SearchOutcome> {
  try {
    const found = await locateCli({ cli }, host);
    return { cli: found, searched: found.searched };
  } catch (error) {
    return { cli: undefined, searched: placesOf(error, String(cli)) };
  }
}

async function searchPinned({ cliVersion }: InspectOptions, host: LocateHost): Promise<SearchOutcome> {
  try {
    const { findPinned } = await import('./install.ts');
    const { folder, installed } = await findPinned({ env: host.env, version: cliVersion });
    if (installed) return { cli: foundPinned(installed, host.platform), searched: [] };
    return { cli: undefined, searched: [{ place: folder, reason: 'is not installed yet; the first run installs it' }] };
  } catch (error) {
    return { cli: undefined, searched: placesOf(error, 'pinned') };
  }
}

function placesOf(error: unknown, wanted: string): readonly SearchedPlace[] {
  if (error instanceof CliNotFoundError) return error.searched;
  const place = error instanceof CliInstallError ? error.directory : wanted;
  return [{ place, reason: error instanceof Error ? error.message : String(error) }];
}

function describe(cli: FoundCli): CliInspection['found'] {
  const { searched: _, packageVersion: __, ...rest } = cli;
  return rest;
}

function versionOf(cli: FoundCli, options: InspectOptions, host: LocateHost): Promise<VersionFinding> {
  return detectVersion(cli, {
    env: buildEnv({ env: options.env, inheritEnv: options.inheritEnv }, host),
    cwd: options.cwd,
    timeoutMs: options.timeoutMs ?? defaultLimits.versionTimeoutMs,
    signal: options.signal,
  });
}

function supportOf(version: VersionFinding | undefined, mode: RunMode): Support {
  if (version === undefined) return 'no';
  if (version.kind !== 'found') return 'unknown';
  return compareVersions(version.version, minimumFor(mode)) >= 0 ? 'yes' : 'no';
}
