import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { isAlive, processOf } from './processes.ts';

export interface Host {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The next line of its stdout; rejects if it ends first. */
  line(): Promise<string>;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
}

/**
 * Runs a program of `fixtures/hosts`. It uses the built package; a `.src.mjs` uses the sources, which takes half a second longer. It
 * is killed at the end of the test.
 */
export function startHost(name: string, ...args: string[]): Host {
  const loader = name.endsWith('.src.mjs') ? ['--import', import.meta.resolve('tsx')] : [];
  return start(name, [process.execPath, ...loader, fixture(`hosts/${name}`), ...args]);
}

/** Runs a host with a preloaded module of `fixtures/preloads`. */
export function startHostAfter(preload: string, name: string, ...args: string[]): Host {
  return start(name, [process.execPath, '--import', fixture(`preloads/${preload}`), fixture(`hosts/${name}`), ...args]);
}

/** Runs a host with a limit of descriptors. */
export function startHostWith(descriptors: number, name: string, ...args: string[]): Host {
  const limited = ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh'];
  return start(name, [...limited, process.execPath, fixture(`hosts/${name}`), ...args]);
}

const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));

function start(name: string, [file = '', ...args]: readonly string[]): Host {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    exited,
    async line() {
      const step = await lines.next();
      if (step.done) throw new Error(`${name} ended before it wrote its next line`);
      return step.value;
    },
  };
}

/** The pids printed by a host: the program, its shell, the shell's child. They are killed at the end of the test. */
export async function treeOf(host: Host): Promise<number[]> {
  const pids = (await host.line()).split(' ').map(Number);
  const sessions = pids.map((pid) => processOf(pid)?.session);
  onTestFinished(() => {
    for (const [i, pid] of pids.entries()) {
      if (isAlive(pid) && processOf(pid)?.session === sessions[i]) process.kill(pid, 'SIGKILL');
    }
  });
  return pids;
}
