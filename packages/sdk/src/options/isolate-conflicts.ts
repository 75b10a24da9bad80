import type { Report } from '../errors/options.ts';
import { type HostFacts, variableIn } from './environment.ts';
import type { AgentOptions } from './option-types.ts';

/** Reports what would let an isolated CLI out, or keep it from working. */
export function checkIsolation(values: AgentOptions, host: HostFacts, report: Report): void {
  if (values.isolate === undefined) return;
  for (const name of ['transport', 'spawn'] as const)
    if (values[name] !== undefined) report('isolate', `cannot be combined with ${name}, which starts the CLI itself.`);
  if (host.platform !== 'linux') report('isolate', 'needs Linux: bubblewrap uses its namespaces.');
  const own = values.configDir ?? variableIn(values, host, 'CLAUDE_CONFIG_DIR');
  if (!own && !(values.sessionStore && values.storeOnly)) report('isolate', NEEDS_CONFIG);
  if (values.inheritEnv === undefined) report('isolate', NEEDS_ENVIRONMENT);
}

const NEEDS_CONFIG =
  'needs a configuration directory of its own, because ~/.claude has the conversations of all agents of this user: set configDir, or sessionStore with storeOnly: true.';

const NEEDS_ENVIRONMENT =
  'needs inheritEnv: the CLI and its tools can read all variables that they inherit. Set it to false, or to the names that they may read.';
