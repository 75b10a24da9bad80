import { detectVersion, rememberVersion } from '../cli/detect-version.ts';
import type { FoundCli } from '../cli/locate.ts';
import type { RunOptions } from '../cli/run-program.ts';
import { judgeVersion, type VersionRules } from '../cli/version.ts';
import type { CoxswainError } from '../errors/base.ts';
import { Deferred } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';

/** A version check that runs while the CLI starts, so that the first message does not wait for it. */
export class BackgroundVersionCheck {
  /** The version, once it is known. */
  version: string | undefined;
  /** True if a prompt must wait for the version, because an old CLI would silently ignore an option. */
  readonly decisive: boolean;
  readonly #cli: FoundCli;
  readonly #rules: VersionRules;
  readonly #asking = new AbortController();
  /** True until the version, or the failure to determine it, is known. */
  pending = true;
  readonly #refusal = new Deferred<CoxswainError | undefined>();
  /** Resolves to the reason why this CLI cannot be used, or to `undefined` if it can. Never rejects. */
  readonly refusal: Promise<CoxswainError | undefined> = this.#refusal.promise;

  constructor(cli: FoundCli, rules: VersionRules, options: RunOptions, onWarning: (warning: Warning) => void) {
    this.#cli = cli;
    this.#rules = rules;
    // An old CLI rejects unknown flags itself.
    this.decisive = (rules.needs ?? []).some(({ flag }) => flag === undefined);
    const { signal } = this.#asking;
    void detectVersion(cli, { ...options, signal }).then((finding) => {
      if (signal.aborted) return;
      if (finding.kind === 'found') this.version = finding.version;
      const verdict = judgeVersion(finding, rules);
      if (verdict.warning) onWarning(verdict.warning);
      this.#settle(verdict.error);
    });
  }

  /** Ends the check with the version reported by the CLI itself. */
  reported(version: unknown): void {
    if (typeof version !== 'string' || this.#asking.signal.aborted) return;
    this.version = version;
    rememberVersion(this.#cli, version);
    this.#settle(judgeVersion({ kind: 'found', version, source: 'probe' }, this.#rules).error);
    this.#asking.abort();
  }

  cancel(): void {
    this.#settle(undefined);
    this.#asking.abort();
  }

  #settle(refusal: CoxswainError | undefined): void {
    this.pending = false;
    this.#refusal.resolve(refusal);
  }
}
