import { spawnSync } from 'node:child_process';
import process from 'node:process';

/**
 * Runs a program and shows its output only if it fails; then this process exits with the same code.
 * @param {string} what shown on a terminal while it runs, and removed afterwards
 * @param {string} file
 * @param {readonly string[]} args
 */
export function quietly(what, file, args) {
  const { stdout, stderr } = process;
  if (stdout.isTTY) stdout.write(what);
  const { status, error, stdout: out, stderr: err } = spawnSync(file, args, { encoding: 'utf8' });
  if (stdout.isTTY) stdout.write('\r\u001b[K');
  if (status === 0) return;
  stderr.write(`${out ?? ''}${err ?? ''}${error ? `${file}: ${error.message}\n` : ''}`);
  process.exit(status || 1);
}
