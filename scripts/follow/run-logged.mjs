import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/**
 * Runs a program in the repository with its output in a file; resolves with its exit code.
 * @param {readonly string[]} command
 * @param {{ root: string, log: string, env?: Readonly<Record<string, string>> }} how
 * @returns {Promise<number>}
 */
export async function runLogged([program = '', ...args], { root, log, env = {} }) {
  const output = createWriteStream(log);
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32' && program === 'npm',
  });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  try {
    const [code] = await once(child, 'close');
    return code ?? 1;
  } finally {
    output.end();
  }
}
