import { type HostFacts, inherits, sameVariable } from '../options/environment.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { externalServers } from '../options/sdk-server.ts';
import { createRedactor, type Redactor, secretsIn } from '../redact.ts';

type HostEnvironment = Pick<HostFacts, 'platform' | 'env'>;

/** The environment of a run, as it was when the run was created, and the secrets in it. */
export class RunEnvironment {
  /** The variables of the CLI. */
  readonly variables: Readonly<Record<string, string>>;
  readonly #options: EnvOptions & SecretOptions;
  readonly #host: HostEnvironment;
  readonly #learned = new Set<string>();
  #redactor: Redactor | undefined;

  constructor(options: EnvOptions & SecretOptions, host: HostEnvironment) {
    this.#options = options;
    this.#host = { platform: host.platform, env: { ...host.env } };
    this.variables = buildEnv(options, this.#host);
  }

  /** Removes the secrets of the run from a text. They are collected at the first call: most runs show nothing. */
  readonly redact: Redactor = (text) => {
    this.#redactor ??= createRedactor([...secretsOf(this.#options, this.variables), ...this.#learned]);
    return this.#redactor(text);
  };

  /** The variables and those that watchers add; whatever the options set takes precedence. */
  variablesWith(watched: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    if (Object.keys(watched).length === 0) return this.variables;
    this.learnFrom(watched);
    return buildEnv(this.#options, this.#host, watched);
  }

  /** Adds the secrets in a value that the CLI receives later. Of very many, the oldest are forgotten. */
  learnFrom(given: object): void {
    for (const secret of secretsIn({ given })) {
      // A secret that is found again counts as new.
      this.#learned.delete(secret);
      this.#learned.add(secret);
      this.#redactor = undefined;
    }
    for (const oldest of this.#learned) {
      if (this.#learned.size <= MAX_LEARNED) return;
      this.#learned.delete(oldest);
    }
  }
}

/** Each of them is searched for in every line that is shown. */
const MAX_LEARNED = 1_000;

/** The options that determine the CLI's environment. */
export type EnvOptions = Pick<
  AgentOptions,
  'env' | 'inheritEnv' | 'apiKey' | 'maxRetries' | 'configDir' | 'fileCheckpointing'
>;

type SecretOptions = Pick<AgentOptions, 'apiKey' | 'mcpServers' | 'agents' | 'settings' | 'extraArgs'>;

/** The environment of the CLI: inherited and watched variables, the SDK's own, the caller's `env`, and options that are variables. */
export function buildEnv(
  options: EnvOptions,
  host: HostEnvironment,
  watched: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { platform } = host;
  const { inheritEnv = true } = options;
  const env = new Map(Object.entries(host.env).filter(([name]) => inherits(inheritEnv, name, platform)));
  const set = (name: string, value: string | undefined): void => {
    for (const known of platform === 'win32' ? [...env.keys()] : [name]) {
      if (sameVariable(known, name, platform)) env.delete(known);
    }
    if (value !== undefined) env.set(name, value);
  };
  for (const [name, value] of Object.entries(watched)) set(name, value);
  set('CLAUDE_CODE_ENTRYPOINT', 'coxswain');
  // The CLI then reports when it is idle, so that a run ends neither too early nor too late.
  set('CLAUDE_CODE_SDK_READS_SESSION_STATE', '1');
  for (const [name, value] of Object.entries(options.env ?? {})) set(name, value);
  if (options.apiKey !== undefined) set('ANTHROPIC_API_KEY', options.apiKey);
  if (options.maxRetries !== undefined) set('CLAUDE_CODE_MAX_RETRIES', String(options.maxRetries));
  if (options.configDir !== undefined) set('CLAUDE_CONFIG_DIR', options.configDir);
  if (options.fileCheckpointing) set('CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING', '1');
  return Object.fromEntries([...env].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The values that must never be shown: keys and tokens, and all variables and headers of MCP servers. */
export function secretsOf(options: SecretOptions, env: Readonly<Record<string, string>>): string[] {
  const { apiKey, mcpServers = {}, agents = {}, settings, extraArgs } = options;
  const servers = [externalServers(mcpServers), ...Object.values(agents).flatMap((agent) => agent.mcpServers ?? [])];
  return [...(apiKey ? [apiKey] : []), ...secretsIn({ settings, servers, extraArgs }), ...secretsIn(env)];
}
