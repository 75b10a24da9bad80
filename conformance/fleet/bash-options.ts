import type { AgentOptions } from 'coxswain';
import type { IsolatedHome } from '../harness/isolated-home.ts';
import { realCli } from '../harness/real-cli.ts';

/** Options of an agent of the fleet on the real CLI: its only tool is Bash, and it sees nothing outside of `home`. */
export function bashOptions(home: IsolatedHome, env: Readonly<Record<string, string>> = {}): AgentOptions {
  return {
    cli: realCli(),
    cwd: home.project,
    env: home.env(env),
    inheritEnv: false,
    settingSources: [],
    tools: ['Bash'],
  };
}
