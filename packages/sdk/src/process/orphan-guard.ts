import type { ChildProcess } from 'node:child_process';
import type { Warning } from '../warnings/warning.ts';
import { warning } from '../warnings/warning.ts';
import { GUARD_SCRIPT } from './guard-script.ts';
import { unrefStream } from './unref-stream.ts';

type Warn = (warning: Warning) => void;

const guarded = new Set<number>();
let guard: ChildProcess | undefined;
let warned = false;
/** What it has to be told. Every write wakes it up, which costs the host 0.3 ms: so it is told once per turn of the loop. */
let news = '';
let telling = false;
/** How long it waits for another child: starting it for each of many short runs would take as long as they do. */
const LINGER_MS = 100;
let leaving: NodeJS.Timeout | undefined;

/**
 * Has the process `pid` and its tree ended should the host be killed before the returned function is called. One shell
 * per host does it: it holds the other end of a pipe, and the pipe ends with the host, however that dies.
 */
export function guardOrphan(pid: number, warn: Warn): () => void {
  clearTimeout(leaving);
  guarded.add(pid);
  note(`+${pid}\n`, warn);
  return () => {
    if (!guarded.delete(pid)) return;
    note(`-${pid}\n`, warn);
    if (guarded.size === 0) leaving = setTimeout(dismiss, LINGER_MS).unref();
  };
}

function note(line: string, warn: Warn): void {
  news += line;
  if (telling) return;
  telling = true;
  setImmediate(tell, warn);
}

function tell(warn: Warn): void {
  telling = false;
  // Without a guard nobody need be told that a child has gone.
  if (guarded.size > 0) guard ??= start(warn);
  guard?.stdin?.write(news);
  news = '';
}

/** A new guard knows nobody. */
function start(warn: Warn): ChildProcess | undefined {
  news = [...guarded].map((pid) => `+${pid}\n`).join('');
  let started: ChildProcess;
  try {
    started = spawnGuard();
  } catch (error) {
    warnOnce(warn, String(error));
    return undefined;
  }
  const lost = (reason: string): void => {
    if (guard !== started) return;
    guard = undefined;
    warnOnce(warn, reason);
  };
  started.on('error', (error) => lost(error.message));
  started.on('exit', (code, signal) => lost(`it ended with ${signal ?? `code ${code}`}`));
  started.stdin?.on('error', () => {}); // Its exit is what counts, and comes next.
  started.unref();
  unrefStream(started.stdin);
  return started;
}

/** In a session of its own: what is sent to the host's group or typed at its terminal must not reach it. */
function spawnGuard(): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process');
  return spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'coxswain-orphan-guard'], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

function dismiss(): void {
  guard?.stdin?.end();
  guard = undefined;
}

function warnOnce(warn: Warn, reason: string): void {
  if (warned) return;
  warned = true;
  warn(
    warning(
      'orphan-guard-unavailable',
      `The guard that ends the CLI when this process is killed is not running (/bin/sh: ${reason}). If this process is killed hard, its CLIs may run on; orphanGuard: false silences this.`,
      { reason },
    ),
  );
}
