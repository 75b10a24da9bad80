import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Runs one of the programs in hosts/ in a fresh process. Returns the JSON of its last line of stdout,
 * and the wall time from the spawn to the exit. `oneCore` has an effect only on Linux.
 */
export function runHost(name, args, { execArgv = [], env = {}, oneCore = false } = {}) {
  const file = fileURLToPath(new URL(`./hosts/${name}.mjs`, import.meta.url));
  const began = performance.now();
  const command = [process.execPath, ...execArgv, file, ...args.map(String)];
  const [program, ...rest] = oneCore && process.platform === 'linux' ? ['taskset', '-c', '0', ...command] : command;
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...hostEnv(), ...env },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    let wallMs = 0;
    child.on('error', reject);
    child.on('exit', () => {
      wallMs = performance.now() - began;
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve({ wallMs, ...JSON.parse(output.trim().split('\n').at(-1)) });
      else reject(new Error(`hosts/${name}.mjs ${args.join(' ')} ended with ${signal ?? code}`));
    });
  });
}

/** The environment of a host: without the variables that npm adds for its scripts, which no service has. */
export function hostEnv() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
}
