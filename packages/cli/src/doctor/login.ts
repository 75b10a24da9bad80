import { execFile } from 'node:child_process';
import type { CliInspection } from 'coxswain/cli';
import type { LoginStatus } from './cli-checks.ts';

/** Asks the CLI whether the user is logged in; undefined if the CLI does not report it. */
export async function loginOf({ found, version }: CliInspection): Promise<LoginStatus | undefined> {
  // An older release would treat the arguments as a prompt.
  if (found === undefined || version?.kind !== 'found' || !hasAuthStatus(version.version)) return undefined;
  const [file = '', ...args] = found.command;
  const output = await outputOf(file, [...args, 'auth', 'status']);
  try {
    const status: unknown = JSON.parse(output);
    if (typeof status !== 'object' || status === null || !('loggedIn' in status)) return undefined;
    const fields: Readonly<Record<string, unknown>> = { ...status };
    const text = (name: string): string | undefined => (typeof fields[name] === 'string' ? fields[name] : undefined);
    return {
      loggedIn: status.loggedIn === true,
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

/** Whether the command exists. Measured: 2.1.197 and 2.1.325 have it. */
function hasAuthStatus(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 197)));
}

/** The output of the command, also with exit code 1, which means that the user is not logged in. */
function outputOf(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, (_error, stdout) =>
      resolve(stdout),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end();
  });
}
