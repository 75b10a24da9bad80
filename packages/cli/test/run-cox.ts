import { spawn } from 'node:child_process';
import { COX } from './terminal/pty.ts';

/** The output of a command, and how it ended. */
export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** How to run a command without a terminal. */
export interface CoxOptions {
  /** Written to stdin, which is then closed; empty by default. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Time after which it is killed: 14 s, less than the time limit of a test. */
  readonly timeoutMs?: number;
}

/** Runs cox in pipes, in an isolated environment. */
export function runCox(args: readonly string[], options: CoxOptions = {}): Promise<Finished> {
  return runShell([process.execPath, COX, ...args], options);
}

/** Runs any command line in pipes. */
export function runShell([file = '', ...args]: readonly string[], options: CoxOptions = {}): Promise<Finished> {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...options.env },
    timeout: options.timeoutMs ?? 45_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ stdout, stderr, code }));
  });
}

/** The values of NDJSON. */
export function ndjson(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
