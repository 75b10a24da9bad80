import { compareVersions } from '@coxswain/shared/version';
import type { CoxswainError } from '../errors/base.ts';
import { UnsupportedOptionError } from '../errors/options.ts';
import { UnknownVersionError, UnsupportedCliVersionError, VersionDetectionError } from '../errors/start.ts';
import { type Warning, warning } from '../warnings/warning.ts';

/** The CLI that `cli: 'pinned'` installs. */
export const PINNED_VERSION = '2.1.327';

/** The oldest supported CLI: the first one with `--session-mirror`. */
export const MINIMUM_VERSION = '2.1.97';

/** The oldest CLI that the whole test suite runs on. A run that needs only its features does not wait for the version check. */
export const USUAL_VERSION = '2.1.197';

/** The version of a CLI and its source, or why it is unknown. */
export type VersionFinding =
  | { readonly kind: 'found'; readonly version: string; readonly source: 'package.json' | 'cache' | 'probe' }
  | { readonly kind: 'unparseable'; readonly output: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** What the CLI is started for. */
export type RunMode = 'query' | 'session';

/** A feature that some supported releases lack. */
export interface VersionNeed {
  /** The option that uses it: `effort`, `hooks.PostToolBatch`. */
  readonly option: string;
  /** Its flag, if any. */
  readonly flag?: string | undefined;
  readonly since: string;
}

export interface VersionRules {
  /** An unknown version causes a warning, not an error. */
  readonly tolerant: boolean;
  readonly path: string;
  /** Features that the options use and some supported releases lack. */
  readonly needs?: readonly VersionNeed[];
}

/** The consequence for a run: continue, continue with a warning, or stop. */
export interface VersionVerdict {
  readonly error?: CoxswainError;
  readonly warning?: Warning;
}

/** Checks a finding: a known old version always stops a run, an unknown one unless `tolerant`. */
export function judgeVersion(finding: VersionFinding, rules: VersionRules): VersionVerdict {
  const { path, tolerant, needs = [] } = rules;
  if (finding.kind === 'unparseable') {
    const { output } = finding;
    if (!tolerant) return { error: new UnknownVersionError({ path, output }) };
    const message = `${path} --version printed no version number; continuing without it.`;
    return { warning: warning('unknown-cli-version', message, { path, output }) };
  }
  if (finding.kind === 'failed') {
    const { reason } = finding;
    if (!tolerant) return { error: new VersionDetectionError({ path, reason }) };
    const message = `The version of ${path} could not be determined (${reason}); continuing without it.`;
    return { warning: warning('version-check-failed', message, { path, reason }) };
  }
  const { version: found } = finding;
  if (isOlder(found, MINIMUM_VERSION)) {
    return { error: new UnsupportedCliVersionError({ found, required: MINIMUM_VERSION, path, feature: 'Coxswain' }) };
  }
  const missing = needs.find(({ since }) => isOlder(found, since));
  if (missing === undefined) return {};
  const { option, flag, since } = missing;
  return { error: new UnsupportedOptionError({ option, flag, found, required: since }) };
}

/** True if `version` is known and older than `since`. */
export function isOlder(version: string | undefined, since: string | undefined): boolean {
  return version !== undefined && since !== undefined && compareVersions(version, since) < 0;
}
