import type { CoxswainError } from '../errors/base.ts';
import { UnsupportedOptionError } from '../errors/options.ts';
import { UnknownVersionError, UnsupportedCliVersionError, VersionDetectionError } from '../errors/start.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { VersionNeed } from './feature-gate.ts';
import { MINIMUM_QUERY_VERSION, MINIMUM_SESSION_VERSION } from './minimum.ts';
import { compareVersions } from './version.ts';

/** What is known about the version of a CLI, and from where. */
export type VersionFinding =
  | { readonly kind: 'found'; readonly version: string; readonly source: 'package.json' | 'cache' | 'probe' }
  | { readonly kind: 'unparseable'; readonly output: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** What the CLI is wanted for. */
export type RunMode = 'query' | 'session';

/** What the caller asked of the version check. */
export interface VersionRules {
  /** Decides about the oldest version that will do. */
  readonly mode: RunMode;
  /** A version that cannot be found out is a warning, not an error. */
  readonly tolerant: boolean;
  readonly path: string;
  /** What the options need beyond what every supported release has. */
  readonly needs?: readonly VersionNeed[];
}

/** What a finding means for a run: go on, go on with a warning, or stop. */
export interface VersionVerdict {
  readonly error?: CoxswainError;
  readonly warning?: Warning;
}

/** Judges a finding: a known old version always stops a run, an unknown one only where that is not tolerated. */
export function judgeVersion(finding: VersionFinding, rules: VersionRules): VersionVerdict {
  const { path, tolerant } = rules;
  switch (finding.kind) {
    case 'found':
      return judgeKnown(finding.version, rules);
    case 'unparseable':
      if (!tolerant) return { error: new UnknownVersionError({ path, output: finding.output }) };
      return {
        warning: warning(
          'unknown-cli-version',
          `${path} --version printed no version number; going on without knowing it.`,
          { path, output: finding.output },
        ),
      };
    case 'failed':
      if (!tolerant) return { error: new VersionDetectionError({ path, reason: finding.reason }) };
      return {
        warning: warning(
          'version-check-failed',
          `The version of ${path} could not be found out (${finding.reason}); going on without knowing it.`,
          { path, reason: finding.reason },
        ),
      };
  }
}

/** The oldest version that can do what `mode` needs. */
export function minimumFor(mode: RunMode): string {
  return mode === 'session' ? MINIMUM_SESSION_VERSION : MINIMUM_QUERY_VERSION;
}

function judgeKnown(found: string, { mode, path, needs = [] }: VersionRules): VersionVerdict {
  const required = minimumFor(mode);
  if (compareVersions(found, required) < 0) {
    const feature = mode === 'session' ? 'a session' : 'a query';
    return { error: new UnsupportedCliVersionError({ found, required, path, feature }) };
  }
  const missing = needs.find(({ since }) => compareVersions(found, since) < 0);
  if (missing === undefined) return {};
  const { option, flag, since } = missing;
  return { error: new UnsupportedOptionError({ option, flag, found, required: since }) };
}
