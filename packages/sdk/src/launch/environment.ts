import { buildEnv, secretsOf } from '../cli/env.ts';
import type { HostFacts } from '../options/host.ts';
import type { ResolvedOptions } from '../options/resolve.ts';

/**
 * The environment of a run. The host's is as it was at the call; the CLI's is made of it when the CLI is started, so that
 * whoever opens a thousand sessions at once does not wait for it. What is kept is the host's, which they share.
 */
export class RunEnvironment {
  readonly #options: ResolvedOptions;
  readonly #host: HostFacts;
  readonly #kept: Readonly<Record<string, string>> | undefined;

  constructor(options: ResolvedOptions, host: HostFacts) {
    this.#options = options;
    this.#host = host;
    // There the host's is `process.env` itself, which may change before the CLI is started.
    this.#kept = host.platform === 'win32' ? buildEnv(options, host) : undefined;
  }

  /** The CLI's environment, and what else is to be in it. */
  variables(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    return Object.assign(this.#kept ? { ...this.#kept } : buildEnv(this.#options, this.#host), more);
  }

  /** Values that must not be shown to anybody. Looked for at the first step: most runs have nothing to show. */
  *secrets(): Generator<string, void> {
    yield* secretsOf(this.#options, this.variables());
  }
}
