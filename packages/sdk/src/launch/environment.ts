import { buildEnv, secretsOf } from '../cli/env.ts';
import type { HostFacts } from '../options/host.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { createRedactor, type Redactor } from '../redact.ts';
import { secretsIn } from '../secrets.ts';

/**
 * The environment of a run. The host's is as it was at the call; the CLI's is made of it when the CLI is started, so that
 * whoever opens a thousand sessions at once does not wait for it. What is kept is the host's, which they share.
 */
export class RunEnvironment {
  readonly #options: ResolvedOptions;
  readonly #host: HostFacts;
  readonly #kept: Readonly<Record<string, string>> | undefined;
  readonly #learned = new Set<string>();
  #redactor: Redactor | undefined;

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

  /** Takes the secrets of the run out of a text. They are looked for at the first: most runs have nothing to show. */
  readonly redact: Redactor = (text) => {
    this.#redactor ??= createRedactor([...secretsOf(this.#options, this.variables()), ...this.#learned]);
    return this.#redactor(text);
  };

  /** The CLI is given more, in which there may be secrets. The oldest of very many are forgotten. */
  learnFrom(given: object): void {
    for (const secret of secretsIn({ given })) {
      // Found again, it counts as new.
      this.#learned.delete(secret);
      this.#learned.add(secret);
      this.#redactor = undefined;
    }
    for (const oldest of this.#learned) {
      if (this.#learned.size <= MOST_LEARNED) return;
      this.#learned.delete(oldest);
    }
  }
}

/** Every one of them is looked for in every line that is shown. */
const MOST_LEARNED = 1_000;
