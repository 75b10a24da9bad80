import { detectVersion, rememberVersion, type VersionRun } from '../cli/detect-version.ts';
import type { FoundCli } from '../cli/locate.ts';
import { warnOfNewerRelease } from '../cli/newer-release.ts';
import { judgeVersion, type VersionRules } from '../cli/version.ts';
import type { CoxswainError } from '../errors/base.ts';
import { Deferred } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';

/** How to ask a CLI for its version. */
export interface VersionProbe {
  readonly cli: FoundCli;
  readonly options: VersionRun;
}

/**
 * A version check that runs while the CLI starts, so that the first message does not wait for it. Without a probe it judges only
 * what the CLI reports itself.
 */
export class BackgroundVersionCheck {
  /** The version, once it is known. */
  version: string | undefined;
  /** True if a prompt must wait for the version, because an old CLI would silently ignore an option. */
  readonly decisive: boolean;
  readonly #onWarning: (warning: Warning) => void;
  readonly #probe: VersionProbe | undefined;
  readonly #rules: VersionRules;
  readonly #asking = new AbortController();
  /** True until the probe has determined the version, or has failed to. */
  pending: boolean;
  readonly #refusal = new Deferred<CoxswainError | undefined>();
  /** Resolves to the reason why this CLI cannot be used, or to `undefined` if it can. Never rejects; wait only while `pending`. */
  readonly refusal: Promise<CoxswainError | undefined> = this.#refusal.promise;

  constructor(rules: VersionRules, onWarning: (warning: Warning) => void, probe?: VersionProbe) {
    this.#onWarning = onWarning;
    this.#probe = probe;
    this.#rules = rules;
    this.pending = probe !== undefined;
    // An old CLI rejects unknown flags itself.
    this.decisive = (rules.needs ?? []).some(({ flag }) => flag === undefined);
    if (probe) void this.#ask(probe);
  }

  /** Ends the check with the version reported by the CLI itself. */
  reported(version: unknown): void {
    if (typeof version !== 'string' || this.#asking.signal.aborted) return;
    this.version = version;
    if (this.#probe) rememberVersion(this.#probe.cli, version);
    warnOfNewerRelease(version, this.#onWarning);
    this.#settle(judgeVersion({ kind: 'found', version, source: 'probe' }, this.#rules).error);
    this.#asking.abort();
  }

  cancel(): void {
    this.#settle(undefined);
    this.#asking.abort();
  }

  async #ask({ cli, options }: VersionProbe): Promise<void> {
    const { signal } = this.#asking;
    const finding = await detectVersion(cli, { ...options, signal });
    if (signal.aborted) return;
    if (finding.kind === 'found') this.version = finding.version;
    const verdict = judgeVersion(finding, this.#rules);
    if (verdict.warning) this.#onWarning(verdict.warning);
    if (finding.kind === 'found') warnOfNewerRelease(finding.version, this.#onWarning);
    this.#settle(verdict.error);
  }

  #settle(refusal: CoxswainError | undefined): void {
    this.pending = false;
    this.#refusal.resolve(refusal);
  }
}
