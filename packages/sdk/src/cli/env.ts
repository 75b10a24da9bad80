import type { AgentOptions, InheritEnv } from '../options/groups.ts';
import type { HostFacts } from '../options/host.ts';
import { inherits, NEVER_INHERITED, sameVariable } from '../options/inherit-env.ts';
import { secretsIn } from '../secrets.ts';
import { externalServers } from './external-servers.ts';

/** The options that make the CLI's environment. */
export type EnvOptions = Pick<
  AgentOptions,
  'env' | 'inheritEnv' | 'apiKey' | 'maxRetries' | 'configDir' | 'fileCheckpointing'
>;

/** The variables a run sets unless the caller's `env` says otherwise. */
const OWN: Readonly<Record<string, string>> = {
  CLAUDE_CODE_ENTRYPOINT: 'coxswain',
  // The CLI then says when it is idle, so that a run ends neither too early nor too late.
  CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
};

/** The environment of the CLI: what is inherited, the SDK's own, the caller's `env`, and options that are variables. */
export function buildEnv(options: EnvOptions, host: Pick<HostFacts, 'platform' | 'env'>): Record<string, string> {
  const { platform } = host;
  const env = inherited(options.inheritEnv ?? true, host);
  const set = (name: string, value: string | undefined): void => {
    const known = platform === 'win32' ? Object.keys(env).find((other) => sameVariable(other, name, platform)) : name;
    if (known !== undefined && (known !== name || value === undefined)) delete env[known];
    if (value !== undefined) put(env, name, value);
  };
  for (const [name, value] of Object.entries(OWN)) set(name, value);
  for (const [name, value] of Object.entries(options.env ?? {})) set(name, value);
  if (options.apiKey !== undefined) set('ANTHROPIC_API_KEY', options.apiKey);
  if (options.maxRetries !== undefined) set('CLAUDE_CODE_MAX_RETRIES', String(options.maxRetries));
  if (options.configDir !== undefined) set('CLAUDE_CONFIG_DIR', options.configDir);
  if (options.fileCheckpointing) set('CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING', '1');
  return env;
}

/** What the CLI gets of the host's environment. */
function inherited(rule: InheritEnv, host: Pick<HostFacts, 'platform' | 'env'>): Record<string, string> {
  const env: Record<string, string | undefined> = rule === false ? {} : { ...host.env };
  // Mostly it is all but two, and then nothing needs to be looked at one by one.
  const all = rule === true && host.platform !== 'win32' && !Object.values(env).includes(undefined);
  const names = all ? NEVER_INHERITED : Object.keys(env);
  for (const name of names) if (env[name] === undefined || !inherits(rule, name, host.platform)) delete env[name];
  // What is undefined has just been deleted.
  return env as Record<string, string>;
}

/** Assigned, which is the quickest way to fill an object, but for the one name that means something else to it. */
function put(env: Record<string, string>, name: string, value: string): void {
  if (name === '__proto__')
    Object.defineProperty(env, name, { value, enumerable: true, configurable: true, writable: true });
  else env[name] = value;
}

/** The values that must never be shown: keys and tokens, and all that MCP servers get as variables or headers. */
export function secretsOf(
  options: Pick<AgentOptions, 'apiKey' | 'mcpServers' | 'agents' | 'settings' | 'extraArgs'>,
  env: Readonly<Record<string, string>>,
): string[] {
  const { apiKey, mcpServers = {}, agents = {}, settings, extraArgs } = options;
  const servers = [externalServers(mcpServers), ...Object.values(agents).flatMap((agent) => agent.mcpServers ?? [])];
  return [...(apiKey ? [apiKey] : []), ...secretsIn({ settings, servers, extraArgs }), ...secretsIn(env)];
}
