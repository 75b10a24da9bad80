import type { AgentOptions } from 'coxswain';
import { AgentFunctionError } from '../errors.ts';
import { opensDatabase } from './database-secrets.ts';

/**
 * The variables of a worker that its agents inherit unless `inheritEnv` overrides it: those that programs need to run, and those that
 * the CLI reads. `CLAUDE_*` selects Bedrock or Vertex; their credentials are added by name: `inheritEnv: [...AGENT_ENVIRONMENT, 'AWS_*']`.
 */
export const AGENT_ENVIRONMENT: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TEMP', 'TMP', 'TERM', 'TZ', 'LANG', 'LC_*'],
  ...['SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['ANTHROPIC_*', 'CLAUDE_*', 'COXSWAIN_CLI'],
];

type Environment = Pick<AgentOptions, 'env' | 'inheritEnv'>;

/**
 * The environment of an agent: an allowlist by default, without any variable that opens the database of the fleet, whatever its name
 * in the environment of the worker. @throws AgentFunctionError if `env` contains such a value
 */
export function agentEnvironment(
  { env = {}, inheritEnv = AGENT_ENVIRONMENT }: Environment,
  databaseUrl: string,
  own: NodeJS.ProcessEnv = process.env,
): Required<Environment> {
  const opens = opensDatabase(databaseUrl, own);
  for (const [name, value] of Object.entries(env)) {
    if (typeof value === 'string' && opens(value)) {
      const problem = `must not pass the database of the fleet to the agent, but env.${name} contains its URL or password. Remove it.`;
      throw new AgentFunctionError('options', problem);
    }
  }
  const unsafe = Object.entries(own).filter(([name, value = '']) => isPostgres(name) || opens(value));
  return { env: { ...Object.fromEntries(unsafe.map(([name]) => [name, undefined])), ...env }, inheritEnv };
}

/** True for variables that PostgreSQL's programs read, and for the URL of the fleet. */
function isPostgres(name: string): boolean {
  return /^PG[A-Z]+$/.test(name) || name === 'COXSWAIN_DATABASE_URL';
}
