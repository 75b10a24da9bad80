import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HOST = fileURLToPath(new URL('./host.mjs', import.meta.url));

/** The exit codes of hosts that end on request instead of by a signal. */
const CODES = new Map([
  ['exit', 9],
  ['throw', 1],
  ['leave', 0],
]);

/**
 * A program on the same runtime with a query and a session that both run forever.
 * @param {string} cli
 * @param {string} how `exit`, `throw`, `leave`, or the signal it will die of.
 */
export async function dyingHost(cli, how) {
  const flags = 'deno' in process.versions ? ['run', '-A'] : [];
  const host = spawn(process.execPath, [...flags, HOST, cli], { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  host.stderr.on('data', (text) => {
    complaint += text;
  });
  host.stdin.on('error', () => {});
  const exited = new Promise((resolve) => host.once('exit', (code, signal) => resolve({ code, signal })));
  const step = await createInterface({ input: host.stdout })[Symbol.asyncIterator]().next();
  if (step.done) throw new Error(`The host ended too early: ${complaint}`);
  /** @type {number[]} */
  const pids = JSON.parse(step.value);
  const code = CODES.get(how);
  return {
    pids,
    expected: code === undefined ? { code: null, signal: how } : { code, signal: null },
    die() {
      if (code !== undefined) host.stdin.write(`${how}\n`);
      else host.kill(/** @type {NodeJS.Signals} */ (how));
      return exited;
    },
  };
}
