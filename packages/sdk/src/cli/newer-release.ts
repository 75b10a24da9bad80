import { type Warning, warning } from '../warnings/warning.ts';
import { isOlder, PINNED_VERSION } from './version.ts';

/** A CLI that is newer than every measured release. */
export interface NewerRelease {
  readonly version: string;
  /** The newest release that was measured. */
  readonly measured: string;
  /** What the release is known to do differently, one sentence each. */
  readonly differences: readonly string[];
}

/** A difference that a newer release is known to have, until the pinned release has it too. */
export interface KnownDifference {
  /** The first release that has it. */
  readonly since: string;
  readonly what: string;
}

/** The known differences of releases newer than the pinned one. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];

/** Compares a release with the newest measured one; `undefined` if it is not newer. */
export function newerRelease(
  version: string,
  known: readonly KnownDifference[] = KNOWN_DIFFERENCES,
): NewerRelease | undefined {
  if (!isOlder(PINNED_VERSION, version)) return undefined;
  const differences = known.filter(({ since }) => !isOlder(version, since)).map(({ what }) => what);
  return { version, measured: PINNED_VERSION, differences };
}

/** The releases that this process has been warned about. */
const warned = new Set<string>();

/** Warns once per process of each release that is newer than the newest measured one. */
export function warnOfNewerRelease(version: string, warn: (warning: Warning) => void): void {
  const newer = warned.has(version) ? undefined : newerRelease(version);
  if (newer === undefined) return;
  warned.add(version);
  const { measured, differences } = newer;
  const known = differences.length === 0 ? 'No differences are known.' : `Known differences: ${differences.join(' ')}`;
  const message = `Claude Code ${version} is newer than ${measured}, the newest release that was measured. ${known}`;
  warn(warning('newer-cli-version', message, { found: version, measured, differences: [...differences] }));
}
