import { execFile } from 'node:child_process';
import type { CliInspection } from 'coxswain/cli';
import type { LoginStatus } from './cli-checks.ts';

/** Asks the CLI whether the user is logged in; undefined if the CLI does not report it. */
export async function loginOf({ found, supported }: CliInspection): Promise<LoginStatus | undefined> {
  // A release without the command would treat the arguments as a prompt.
  if (found === undefined || supported !== 'yes') return undefined;
  const [file = '', ...args] = found.command;
  const output = await outputOf(file, [...args, 'auth', 'status']);
  try {
    const said: unknown = JSON.parse(output);
    if (typeof said !== 'object' || said === null || !('loggedIn' in said)) return undefined;
    const fields: Readonly<Record<string, unknown>> = { ...said };
    const text = (name: string): string | undefined => (typeof fields[name] === 'string' ? fields[name] : undefined);
    return {
      loggedIn: said.loggedIn === true,
      authMethod: text('authMethod'),
      apiProvider: text('apiProvider'),
      apiKeySource: text('apiKeySource'),
      email: text('email'),
    };
  } catch {
    return undefined;
  }
}

const TIMEOUT_MS = 15_000;

/** The command's output, also with exit code 1, which means that the user is not logged in. */
function outputOf(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, (_error, stdout) =>
      resolve(stdout),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}
