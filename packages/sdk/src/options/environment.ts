import { createRedactor, type Redactor, secretsIn } from '../redact.ts';
import { NO_HOOKS_VARIABLE } from './hooks-off.ts';
import type { LayerValues } from './layers.ts';
import type { AgentOptions, InheritEnv, OptionName } from './option-types.ts';
import { externalServers } from './sdk-server.ts';

/** The part of `process` that a run's options and environment depend on. */
export interface HostFacts {
  readonly platform: string;
  /** Missing on some platforms. */
  getuid?(): number;
  /** The working directory. Throws when it no longer exists. */
  cwd(): string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type HostEnvironment = Pick<HostFacts, 'platform' | 'env'>;

/** A run's environment at the time of its creation, and the secrets in it. */
export class RunEnvironment {
  /** The CLI's variables. */
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

  /** Removes the run's secrets from a text. The first call collects them: most runs never need them. */
  readonly redact: Redactor = (text) => {
    this.#redactor ??= createRedactor([...secretsOf(this.#options, this.variables), ...this.#learned]);
    return this.#redactor(text);
  };

  /** The variables, and those that watchers add; variables set by the options take precedence. */
  variablesWith(watched: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    if (Object.keys(watched).length === 0) return this.variables;
    this.learnFrom(watched);
    return buildEnv(this.#options, this.#host, watched);
  }

  /** Adds the secrets in a value that the CLI receives later. Above the limit, drops the oldest. */
  learnFrom(given: object): void {
    for (const secret of secretsIn({ given })) {
      // A repeated secret becomes the newest.
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

/** Every line that is shown is searched for each of them. */
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
  // `inherits()` applies here too: a watcher may pass on a host variable that switches hooks off.
  for (const [name, value] of Object.entries(watched)) if (inherits(true, name, platform)) set(name, value);
  set('CLAUDE_CODE_ENTRYPOINT', 'coxswain');
  // With this the CLI reports when it is idle, so that a run ends neither too early nor too late.
  set('CLAUDE_CODE_SDK_READS_SESSION_STATE', '1');
  for (const [name, value] of Object.entries(options.env ?? {})) set(name, value);
  if (options.apiKey !== undefined) set('ANTHROPIC_API_KEY', options.apiKey);
  if (options.maxRetries !== undefined) set('CLAUDE_CODE_MAX_RETRIES', String(options.maxRetries));
  if (options.configDir !== undefined) set('CLAUDE_CONFIG_DIR', options.configDir);
  if (options.fileCheckpointing) set('CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING', '1');
  return Object.fromEntries([...env].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Values that must never be shown: keys, tokens, and all variables and headers of MCP servers. */
export function secretsOf(options: SecretOptions, env: Readonly<Record<string, string>>): string[] {
  const { apiKey, mcpServers = {}, agents = {}, settings, extraArgs } = options;
  const servers = [externalServers(mcpServers), ...Object.values(agents).flatMap((agent) => agent.mcpServers ?? [])];
  return [...(apiKey ? [apiKey] : []), ...secretsIn({ settings, servers, extraArgs }), ...secretsIn(env)];
}

/**
 * With `CLAUDECODE` the CLI would act as if it ran inside another CLI, with `CLAUDE_CODE_CHILD_SESSION` as if another CLI
 * stored its conversation. `NODE_OPTIONS` is meant for the host, and hooks must not depend on the shell that started the host.
 */
const NEVER_INHERITED: readonly string[] = [
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  NO_HOOKS_VARIABLE,
  'NODE_OPTIONS',
];

/** The value of a variable that the options set, or let the CLI inherit. */
export function variableIn(
  options: Pick<AgentOptions, 'env' | 'inheritEnv'>,
  host: HostEnvironment,
  name: string,
): string | undefined {
  if (options.env && Object.hasOwn(options.env, name)) return options.env[name];
  return inherits(options.inheritEnv ?? true, name, host.platform) ? host.env[name] : undefined;
}

/** True if the CLI inherits the host's variable `name`. */
function inherits(rule: InheritEnv, name: string, platform: string): boolean {
  if (rule === false || NEVER_INHERITED.includes(platform === 'win32' ? name.toUpperCase() : name)) return false;
  return rule === true || rule.some((pattern) => matches(pattern, name, platform));
}

/** Windows does not distinguish `Path` from `PATH`. */
function sameVariable(a: string, b: string, platform: string): boolean {
  return platform === 'win32' ? a.toUpperCase() === b.toUpperCase() : a === b;
}

function matches(pattern: string, name: string, platform: string): boolean {
  if (!pattern.endsWith('*')) return sameVariable(pattern, name, platform);
  return sameVariable(pattern.slice(0, -1), name.slice(0, pattern.length - 1), platform);
}

/** A variable that sets an option if no layer does. */
export interface EnvironmentVariable {
  readonly name: `COXSWAIN_${string}`;
  readonly option: OptionName;
  readonly kind: 'text' | 'number' | 'switch';
}

/** All such variables. `COXSWAIN_CLI` is not one of them: `cli: 'auto'` reads it. */
export const environmentTable: readonly EnvironmentVariable[] = [
  { name: 'COXSWAIN_MODEL', option: 'model', kind: 'text' },
  { name: 'COXSWAIN_MAX_BUDGET_USD', option: 'maxBudgetUsd', kind: 'number' },
  { name: 'COXSWAIN_TIMEOUT_MS', option: 'timeoutMs', kind: 'number' },
  { name: 'COXSWAIN_IDLE_TIMEOUT_MS', option: 'idleTimeoutMs', kind: 'number' },
  { name: 'COXSWAIN_DEBUG', option: 'debug', kind: 'switch' },
];

/** The options set by environment variables; an empty variable counts as unset. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): LayerValues {
  const given = environmentTable.flatMap(({ name, option, kind }): [string, unknown][] => {
    const text = env[name];
    return text === undefined || text === '' ? [] : [[option, parsed(text, kind)]];
  });
  return Object.fromEntries(given);
}

/** Text that is not a number stays text, so that the option's check reports it. */
function parsed(text: string, kind: EnvironmentVariable['kind']): unknown {
  if (kind === 'number') return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (kind === 'switch' && /^(1|true|0|false)$/i.test(text)) return /^(1|true)$/i.test(text);
  return text;
}
