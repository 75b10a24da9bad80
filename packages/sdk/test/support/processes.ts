import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Waits until `condition` returns a truthy value; fails with `what` after `ms`. */
export async function waitUntil<T>(what: string, condition: () => T, ms = 15_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + ms;
  for (;;) {
    const value = condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${ms} ms, but not until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export interface SystemProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly state: string;
}

/** The system's data of a process; undefined if it has exited. A zombie is listed with state Z. */
export function processOf(pid: number): SystemProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '?', parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), group: Number(group), session: Number(session), state };
  } catch {
    return undefined;
  }
}

/** True while the process runs; false for a zombie. */
export function isAlive(pid: number): boolean {
  const found = processOf(pid);
  return found !== undefined && found.state !== 'Z' && found.state !== 'X';
}

/** The pids of all processes of the machine. */
export function runningPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** The running descendants of a process, by parent pid. */
export function liveDescendants(pid: number): number[] {
  const all = runningPids().flatMap((each) => processOf(each) ?? []);
  const found = [pid];
  for (const parent of found) {
    for (const candidate of all) if (candidate.parent === parent) found.push(candidate.pid);
  }
  return found.slice(1).filter(isAlive);
}

/** The command line of a process, its arguments joined by spaces. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
  } catch {
    return '';
  }
}

/** The targets of a process's descriptors, by number. */
export function descriptorsOf(pid: number | 'self'): Map<number, string> {
  const descriptors = new Map<number, string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      descriptors.set(Number(name), readlinkSync(`/proc/${pid}/fd/${name}`));
    } catch {
      // The descriptor that lists the folder.
    }
  }
  return descriptors;
}

/** Number of bytes that a process has written to any descriptor. */
export function bytesWrittenBy(pid: number): number {
  return Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}
