import { type DetectOptions, detectVersion, rememberVersion } from '../cli/detect-version.ts';
import type { FoundCli } from '../cli/locate.ts';
import { judgeVersion, type VersionRules } from '../cli/version.ts';
import type { CoxswainError } from '../errors/base.ts';
import type { Warning } from '../warnings/warning.ts';

/** A version check that runs while the CLI starts, so that the first message does not wait for it. */
export interface BackgroundVersionCheck {
  /** Resolves to the reason why this CLI cannot be used, or `undefined` when it can. Never rejects. */
  readonly refusal: Promise<CoxswainError | undefined>;
  /** The version, once it is known. */
  readonly version: string | undefined;
  /** True when a prompt must wait for the version: an old CLI would ignore an option without an error. */
  readonly decisive: boolean;
  /** Ends the check with the version that the CLI itself has reported. */
  told(version: unknown): void;
  cancel(): void;
}

/** Starts the check. */
export function checkVersionInBackground(
  cli: FoundCli,
  rules: VersionRules,
  run: DetectOptions & { readonly onWarning: (warning: Warning) => void },
): BackgroundVersionCheck {
  const asking = new AbortController();
  let known: string | undefined;
  let settle: (refusal: CoxswainError | undefined) => void = () => {};
  const refusal = new Promise<CoxswainError | undefined>((resolve) => {
    settle = resolve;
  });
  void detectVersion(cli, { ...run, signal: asking.signal }).then((finding) => {
    if (asking.signal.aborted) return;
    if (finding.kind === 'found') known = finding.version;
    const verdict = judgeVersion(finding, rules);
    if (verdict.warning) run.onWarning(verdict.warning);
    settle(verdict.error);
  });
  return {
    refusal,
    get version() {
      return known;
    },
    // An old CLI rejects an unknown flag.
    decisive: (rules.needs ?? []).some(({ flag }) => flag === undefined),
    told(version) {
      if (typeof version !== 'string' || asking.signal.aborted) return;
      known = version;
      rememberVersion(cli, version);
      settle(judgeVersion({ kind: 'found', version, source: 'probe' }, rules).error);
      asking.abort();
    },
    cancel() {
      settle(undefined);
      asking.abort();
    },
  };
}
