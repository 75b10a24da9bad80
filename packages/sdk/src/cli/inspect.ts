import { reasonOf } from '../errors/base.ts';
import { CliInstallError, CliNotFoundError, type SearchedPlace } from '../errors/start.ts';
import { defaultLimits } from '../limits.ts';
import { buildEnv } from '../options/environment.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { detectVersion } from './detect-version.ts';
import {
  type FoundCli,
  foundPinned,
  isPinned,
  type LocateHost,
  type LocateOptions,
  locateCli,
  wantedCli,
} from './locate.ts';
import { type NewerRelease, newerRelease } from './newer-release.ts';
import { isOlder, MINIMUM_VERSION, PINNED_VERSION, type VersionFinding } from './version.ts';

/** Which CLI to inspect; the defaults are those of a run. `timeoutMs` limits the time it may take to report its version. */
export interface InspectOptions extends LocateOptions, Pick<AgentOptions, 'cwd' | 'env' | 'inheritEnv' | 'timeoutMs'> {}

/** Whether a CLI is new enough; `unknown` if its version could not be determined. */
export type Support = 'yes' | 'no' | 'unknown';

/** The places searched, the CLI found, and what it supports. Plain data that can be written as JSON. */
export interface CliInspection {
  /** The CLI that a run with the same options would use. */
  readonly found: Omit<FoundCli, 'searched' | 'packageVersion'> | undefined;
  /** The places searched before it, or all places if nothing was found, each with the reason. */
  readonly searched: readonly SearchedPlace[];
  /** Its version, and how it was determined. */
  readonly version: VersionFinding | undefined;
  readonly supported: Support;
  /** What is known about it, if it is newer than every measured release. */
  readonly newer: NewerRelease | undefined;
  /** The oldest supported version. */
  readonly minimum: string;
  /** The version that `cli: 'pinned'` uses. */
  readonly pinned: string;
}

/**
 * Finds the CLI that a run would use, without running it. Only `'pinned'` downloads.
 * @throws CliNotFoundError, for `'pinned'` also CliInstallError and AbortError
 */
export function findCli(options: LocateOptions = {}): Promise<FoundCli> {
  return locateCli(options, process);
}

/** Finds the CLI that a run would use and checks its version. Never throws and never downloads. */
export async function inspectCli(options: InspectOptions = {}, host: LocateHost = process): Promise<CliInspection> {
  const { cli, searched } = await search(options, host);
  const { env, inheritEnv, cwd, signal, timeoutMs = defaultLimits.versionTimeoutMs } = options;
  const run = { env: buildEnv({ env, inheritEnv }, host), cwd, signal, timeoutMs };
  const version = cli && (await detectVersion(cli, run));
  return {
    found: cli && describe(cli),
    searched,
    version,
    supported: supportOf(version),
    newer: version?.kind === 'found' ? newerRelease(version.version) : undefined,
    minimum: MINIMUM_VERSION,
    pinned: PINNED_VERSION,
  };
}

async function search(
  { cli, cliVersion }: InspectOptions,
  host: LocateHost,
): Promise<{ cli?: FoundCli; searched: readonly SearchedPlace[] }> {
  const { wanted } = wantedCli(cli, host.env);
  try {
    if (!isPinned(wanted)) {
      const found = await locateCli({ cli }, host);
      return { cli: found, searched: found.searched };
    }
    const { findPinned } = await import('./install.ts');
    const copy = await findPinned({ env: host.env, version: cliVersion });
    if (copy.intact) return { cli: foundPinned(copy, host.platform), searched: [] };
    return { searched: [{ place: copy.folder, reason: 'is not installed yet; the first run installs it' }] };
  } catch (error) {
    if (error instanceof CliNotFoundError) return { searched: error.searched };
    const place = error instanceof CliInstallError ? error.directory : wanted;
    return { searched: [{ place, reason: reasonOf(error) }] };
  }
}

function describe(cli: FoundCli): CliInspection['found'] {
  const { searched: _, packageVersion: __, ...rest } = cli;
  return rest;
}

function supportOf(version: VersionFinding | undefined): Support {
  if (version === undefined) return 'no';
  if (version.kind !== 'found') return 'unknown';
  return isOlder(version.version, MINIMUM_VERSION) ? 'no' : 'yes';
}
