import { buildEnv, secretsOf } from '../cli/env.ts';
import type { HostFacts } from '../options/host.ts';
import type { ResolvedOptions } from '../options/resolve.ts';

/**
 * The environment of a run. The host's is as it was at the call; the CLI's is made of it when the CLI is started, so that
 * whoever opens a thousand sessions at once does not wait for it.
 */
export class RunEnvironment {
  readonly #options: ResolvedOptions;
  #host: HostFacts | undefined;
  #variables: Readonly<Record<string, string>> = {};

  constructor(options: ResolvedOptions, host: HostFacts) {
    this.#options = options;
    this.#host = host;
    // There it is the host's own, which may change before the CLI is started.
    if (host.platform === 'win32') void this.variables;
  }

  /** The CLI's environment. */
  get variables(): Readonly<Record<string, string>> {
    if (this.#host) this.#variables = buildEnv(this.#options, this.#host);
    this.#host = undefined;
    return this.#variables;
  }

  /** Values that must not be shown to anybody. Looked for at the first step: most runs have nothing to show. */
  *secrets(): Generator<string, void> {
    yield* secretsOf(this.#options, this.variables);
  }
}
