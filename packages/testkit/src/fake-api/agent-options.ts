import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Options of a query or a session whose CLI is connected only to the fake API. The CLI gets a separate home directory and does not
 * inherit the provider, the credentials or the proxy of the process. Settings of the project still apply: if they select a
 * provider, add `settingSources: []`.
 */
export interface FakeApiAgentOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly inheritEnv: readonly string[];
  readonly configDir: string;
}

/** The options for the API at `url`; `home` is an existing directory. */
export async function agentOptionsFor(url: string, home: string): Promise<FakeApiAgentOptions> {
  const configDir = join(home, '.claude');
  await mkdir(configDir);
  return {
    env: {
      HOME: home,
      USERPROFILE: home,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'sk-ant-api03-not-a-real-key',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    inheritEnv: INHERITED,
    configDir,
  };
}

/** Variables that the CLI and its shells need. Others could select a provider or contain credentials. */
const INHERITED: readonly string[] = [
  ...['PATH', 'SHELL', 'TMPDIR', 'LANG', 'LC_*', 'TZ', 'IS_SANDBOX'],
  ...['PATHEXT', 'ComSpec', 'SystemRoot', 'SystemDrive', 'ProgramFiles*', 'TEMP', 'TMP', 'CLAUDE_CODE_GIT_BASH_PATH'],
];
