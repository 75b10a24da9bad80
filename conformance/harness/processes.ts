import { readdirSync, readFileSync } from 'node:fs';

/** A running process in Linux's /proc. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly command: string;
}

/** True while a process runs; false for a zombie. */
export function isAlive(pid: number): boolean {
  return readProcess(pid) !== undefined;
}

/** The running processes below a pid, by parent links; orphans are not included. */
export function processesUnder(pid: number): ProcessInfo[] {
  const all = allProcesses();
  const below = (parent: number): ProcessInfo[] =>
    all.filter((process) => process.parent === parent).flatMap((process) => [process, ...below(process.pid)]);
  return below(pid);
}

/** The pids of {@link processesUnder}. */
export function descendantsOf(pid: number): number[] {
  return processesUnder(pid).map((process) => process.pid);
}

/** The running processes whose environment mentions a directory, such as an isolated home; includes orphans. */
export function processesOf(directory: string): ProcessInfo[] {
  // Tests poll this, so the deciding file is read first.
  return read(pids().filter((pid) => readProc(pid, 'environ').includes(directory)));
}

/** Kills a process that may have already exited. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}

function allProcesses(): ProcessInfo[] {
  return read(pids());
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function read(pids: readonly number[]): ProcessInfo[] {
  return pids.map(readProcess).filter((process) => process !== undefined);
}

function readProcess(pid: number): ProcessInfo | undefined {
  // "pid (name) state parent group …": the name may contain spaces and brackets.
  const stat = readProc(pid, 'stat');
  const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return undefined;
  const command = readProc(pid, 'cmdline').replaceAll('\0', ' ').trim();
  return { pid, parent: Number(parent), group: Number(group), command };
}

// A process may exit between listing and reading.
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
