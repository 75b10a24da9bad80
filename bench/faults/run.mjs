import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { markedProcesses, peakMemory } from './processes.mjs';

/** Time limit of a run; a longer one hangs. */
export const BOUND_MS = 10_000;

/** Memory limit of a host, which is ended above it. */
export const MOST_BYTES = 1_500_000_000;

const HOST = fileURLToPath(new URL('../hosts/fault.mjs', import.meta.url));
/** Time to start, and to check for leftovers or exit. */
const START_MS = 20_000;
const LEAVE_MS = 12_000;

/** Plays a scenario in a new host, and returns the observations from inside and outside. */
export async function runFault(contender, id, entry) {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-bench-'));
  const mark = randomUUID();
  try {
    const seen = await watch(startHost([contender, id, entry, mark], folder));
    return { ...seen, leftAfter: await endMarked(mark) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function startHost(args, folder) {
  for (const name of ['home', 'config', 'tmp']) mkdirSync(join(folder, name));
  return spawn(process.execPath, [HOST, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: join(folder, 'home'),
      CLAUDE_CONFIG_DIR: join(folder, 'config'),
      TMPDIR: join(folder, 'tmp'),
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/',
    },
  });
}

function watch(host) {
  const seen = { begun: undefined, ended: undefined, after: undefined, stopped: undefined, stderr: '', peak: 0 };
  const stop = (why) => {
    seen.stopped = why;
    host.kill('SIGKILL');
  };
  let timer = setTimeout(stop, START_MS, 'start');
  const within = (ms, why) => {
    clearTimeout(timer);
    timer = setTimeout(stop, ms, why);
  };
  const poll = setInterval(() => {
    seen.peak = Math.max(seen.peak, peakMemory(host.pid));
    if (seen.peak > MOST_BYTES) stop('memory');
  }, 25);
  createInterface(host.stdout).on('line', (line) => {
    const step = /^\{"(begun|ended|after)":/.exec(line)?.[1];
    if (step === undefined) return;
    Object.assign(seen, JSON.parse(line));
    if (step === 'begun') within(BOUND_MS, 'hung');
    else within(LEAVE_MS, 'lingers');
  });
  host.stderr.setEncoding('utf8').on('data', (text) => {
    seen.stderr = (seen.stderr + text).slice(0, 4_000);
  });
  return new Promise((resolve, reject) => {
    host.on('error', reject);
    host.on('exit', (code, signal) => {
      clearTimeout(timer);
      clearInterval(poll);
      const over = () => resolve({ ...seen, code, signal });
      host.on('close', over);
      // A process of the CLI may hold the pipes of the host open.
      setTimeout(over, 500).unref();
    });
  });
}

/** The remaining processes some time after the exit of the host; they are ended. */
async function endMarked(mark) {
  const deadline = performance.now() + 2_500;
  for (;;) {
    const left = markedProcesses(mark);
    if (left.length === 0) return 0;
    if (performance.now() > deadline) {
      for (const pid of left) process.kill(pid, 'SIGKILL');
      return left.length;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
