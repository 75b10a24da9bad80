import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built command. */
const CREATE = fileURLToPath(new URL('../dist/create.mjs', import.meta.url));

/** Runs `create-coxswain` without a terminal. */
export function runCreate(
  args: readonly string[],
  cwd: string,
  userAgent = 'npm/11.19.1 node/v20.20.2 linux x64',
): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', npm_config_user_agent: userAgent };
  const child = spawn(process.execPath, [CREATE, ...args], { cwd, env, timeout: 45_000, killSignal: 'SIGKILL' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ stdout, stderr, code }));
  });
}
