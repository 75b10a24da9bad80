import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** One living process. `started` tells it from a later one with the same pid. */
export interface ProcessRecord {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly started: string;
}

/** A look at the processes of a POSIX system. Zombies are not in it. */
export interface ProcessTable {
  get(pid: number): ProcessRecord | undefined;
  childrenOf(pid: number): readonly number[];
}

/** Not every kernel is built with the lists of children; without them everything is read once. */
let listsChildren: boolean | undefined;

/** Looks now: Linux reads only what is asked for, other systems run `ps` once. */
export function processTable(): ProcessTable {
  if (process.platform !== 'linux') return tableOf(recordsFromPs());
  listsChildren ??= existsSync('/proc/thread-self/children');
  if (!listsChildren) return tableOf(recordsFromProc());
  return { get: recordFromProc, childrenOf: childrenFromProc };
}

/** The pids of Linux processes that have this entry in their environment. */
export function pidsWithEnv(entry: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(entry)).map(Number);
}

/** Everything in `/proc`. */
export function recordsFromProc(): ProcessRecord[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (recordFromProc(Number(name)) ?? []) : []));
}

/** Everything `ps` lists; empty when it cannot be run. */
export function recordsFromPs(): ProcessRecord[] {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout } = spawnSync('/bin/ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,lstart='], {
    encoding: 'utf8',
    env: { LC_ALL: 'C' },
    maxBuffer: 16 * 1024 * 1024,
    timeout: 2_000,
  });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith('Z')) return [];
    return { pid: Number(pid), parent: Number(parent), group: Number(group), started: started.join(' ') };
  });
}

/** A table of what is in `records`. */
export function tableOf(records: readonly ProcessRecord[]): ProcessTable {
  const byPid = new Map(records.map((record) => [record.pid, record]));
  return {
    get: (pid) => byPid.get(pid),
    childrenOf: (pid) => records.filter((record) => record.parent === pid).map((record) => record.pid),
  };
}

function recordFromProc(pid: number): ProcessRecord | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The second field is the name in parentheses, and a name may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const started = fields[19];
  if (started === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), started };
}

function childrenFromProc(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return []; // It is gone.
  }
  return threads.flatMap((thread) => (read(`/proc/${pid}/task/${thread}/children`).match(/\d+/g) ?? []).map(Number));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // The process or the thread is gone.
  }
}
