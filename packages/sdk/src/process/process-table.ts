import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { withSpareDescriptors } from './exit-hook.ts';

/** One running process. `started` distinguishes it from a later one with the same pid. */
export interface ProcessRecord {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly started: string;
}

/** The processes of a POSIX system, without zombies. */
export interface ProcessTable {
  get(pid: number): ProcessRecord | undefined;
  childrenOf(pid: number): readonly number[];
}

/** Some kernels do not provide lists of children; everything is then read once. */
let listsChildren: boolean | undefined;

/** The current process table. Linux reads entries on demand; other systems run `ps` once. Empty if it cannot be read. */
export function processTable(): ProcessTable {
  if (process.platform !== 'linux') return tableOf(recordsFromPs());
  if (!seesProcesses()) return tableOf([]);
  listsChildren ??= existsSync('/proc/thread-self/children');
  if (!listsChildren) return tableOf(recordsFromProc());
  return { get: recordFromProc, childrenOf: childrenFromProc };
}

/**
 * True if processes can be listed. On Linux, `/proc` may be missing (chroot), forbidden (AppArmor), or that of an outer PID
 * namespace, in which our pids belong to other processes. `ps` has no other source there.
 */
export function seesProcesses(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync('/proc/self') === String(process.pid);
  } catch {
    return false;
  }
}

/** The pids of all Linux processes. */
export function runningPids(): number[] {
  return seesProcesses() ? pidsIn('/proc') : [];
}

/** The pid that Linux has given out last, also to a thread; `undefined` if it is not known. */
export function lastPid(): number | undefined {
  if (process.platform !== 'linux' || !seesProcesses()) return undefined;
  const last = Number(read('/proc/loadavg').trim().split(' ').at(-1));
  return last > 0 ? last : undefined;
}

/** The number of pids that Linux gives out before it begins again; `undefined` if it is not known. */
export function pidCount(): number | undefined {
  const count = Number(read('/proc/sys/kernel/pid_max').trim());
  return count > 0 ? count : undefined;
}

/** True if a Linux process has this entry in its environment. */
export function hasEnv(pid: number, entry: string): boolean {
  return read(`/proc/${pid}/environ`).split('\0').includes(entry);
}

/** True for the pid of a Linux process. `/proc` also has the folders of threads, which it does not list. */
export function isProcess(pid: number): boolean {
  return new RegExp(`^Tgid:\\s*${pid}$`, 'm').test(read(`/proc/${pid}/status`));
}

/** All processes in `/proc`. */
export function recordsFromProc(): ProcessRecord[] {
  return pidsIn('/proc').flatMap((pid) => recordFromProc(pid) ?? []);
}

/** All processes that `ps` lists; empty if it cannot be run. */
export function recordsFromPs(): ProcessRecord[] {
  return psLines().flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith('Z')) return [];
    return { pid: Number(pid), parent: Number(parent), group: Number(group), started: started.join(' ') };
  });
}

function psLines(): string[] {
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  const list = (): string =>
    execFileSync('/bin/ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,lstart='], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
      maxBuffer: 16 * 1024 * 1024,
      timeout: 2_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    return withSpareDescriptors(list).split('\n');
  } catch {
    return [];
  }
}

export function tableOf(records: readonly ProcessRecord[]): ProcessTable {
  const byPid = new Map(records.map((record) => [record.pid, record]));
  return {
    get: (pid) => byPid.get(pid),
    childrenOf: (pid) => records.filter((record) => record.parent === pid).map((record) => record.pid),
  };
}

function recordFromProc(pid: number): ProcessRecord | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The second field is the name in parentheses, which may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const started = fields[19];
  if (started === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), started };
}

function childrenFromProc(pid: number): number[] {
  const threads = pidsIn(`/proc/${pid}/task`);
  return threads.flatMap((thread) => (read(`/proc/${pid}/task/${thread}/children`).match(/\d+/g) ?? []).map(Number));
}

function pidsIn(folder: string): number[] {
  try {
    const names = withSpareDescriptors(() => readdirSync(folder));
    return names.filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return []; // The process has exited, or the folder cannot be listed.
  }
}

function read(path: string): string {
  try {
    return withSpareDescriptors(() => readFileSync(path, 'utf8'));
  } catch {
    return ''; // The process or the thread has exited.
  }
}
