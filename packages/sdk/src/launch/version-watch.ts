import { detectVersion } from '../cli/detect-version.ts';
import type { FoundCli } from '../cli/locate.ts';
import { judgeVersion, type VersionRules } from '../cli/policy.ts';
import { rememberVersion } from '../cli/version-cache.ts';
import type { CoxswainError } from '../errors/base.ts';
import type { Warning } from '../warnings/warning.ts';

/** A version check that runs beside the CLI and costs the first message nothing. */
export interface VersionWatch {
  /** Why this CLI cannot be used, once that is known; `undefined` when it can. Never rejects. */
  readonly refusal: Promise<CoxswainError | undefined>;
  /** The version, once it is known. */
  readonly version: string | undefined;
  /** True when a prompt must not be sent before the version is known: an old CLI would overlook what the options ask for. */
  readonly decisive: boolean;
  /** The CLI itself has said which version it is: nobody need ask any more. */
  told(version: unknown): void;
  cancel(): void;
}

/** Asks a CLI for its version while it already works. */
export function watchVersion(
  cli: FoundCli,
  rules: VersionRules,
  run: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string | undefined;
    readonly timeoutMs: number;
    readonly onWarning: (warning: Warning) => void;
  },
): VersionWatch {
  const asking = new AbortController();
  let known: string | undefined;
  const told = new Promise<CoxswainError | undefined>((resolve) => {
    asking.signal.addEventListener('abort', () => resolve(asking.signal.reason.error), { once: true });
  });
  const asked = detectVersion(cli, { ...run, signal: asking.signal }).then((finding) => {
    if (asking.signal.aborted) return undefined;
    if (finding.kind === 'found') known = finding.version;
    const verdict = judgeVersion(finding, rules);
    if (verdict.warning) run.onWarning(verdict.warning);
    return verdict.error;
  });
  return {
    refusal: Promise.race([told, asked]),
    get version() {
      return known;
    },
    // An unknown flag an old CLI refuses by itself.
    decisive: (rules.needs ?? []).some(({ flag }) => flag === undefined),
    told(version) {
      if (typeof version !== 'string' || asking.signal.aborted) return;
      known = version;
      rememberVersion(cli, version);
      asking.abort({ error: judgeVersion({ kind: 'found', version, source: 'probe' }, rules).error });
    },
    cancel() {
      if (!asking.signal.aborted) asking.abort({ error: undefined });
    },
  };
}
