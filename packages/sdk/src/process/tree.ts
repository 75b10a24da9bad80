import { type Warning, warning } from '../warnings/warning.ts';
import {
  hasEnv,
  isProcess,
  type ProcessRecord,
  type ProcessTable,
  processTable,
  runningPids,
  seesProcesses,
} from './process-table.ts';

/** Environment variable of the CLI and of all its descendants. It identifies tools whose CLI was killed. */
export const RUN_VARIABLE = 'COXSWAIN_RUN';

/** Maximum number of passes over a tree that keeps growing. */
const PASSES = 3;

/** All running descendants of a process, parents before their children. Empty on Windows. */
export function descendantsOf(pid: number): ProcessRecord[] {
  return process.platform === 'win32' ? [] : descendantsIn(processTable(), [pid]);
}

/** Kills a process, its descendants and the groups they lead. Synchronous; never throws. */
export function killTree(pid: number): void {
  if (pid <= 1 || pid === process.pid) return;
  if (process.platform === 'win32') {
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const program = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
    spawnSync(program, ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true, timeout: 5_000 });
  } else {
    const { table, frozen } = freezeTree(pid);
    killAll(table, frozen, [pid]);
    // Without a process table, the process itself was not found.
    send(pid, 'SIGKILL');
  }
}

/**
 * Signals the CLI that bubblewrap with this pid runs, and with SIGTERM its tools as well, but neither bubblewrap nor the first process
 * of its namespace: the kernel would kill everything in it. Never throws.
 */
export function signalIsolated(pid: number, signal: 'SIGINT' | 'SIGTERM'): void {
  const inside = descendantsOf(pid);
  const [init] = inside.filter(({ parent }) => parent === pid);
  const inNamespace = inside.filter((record) => record !== init);
  const receivers = signal === 'SIGTERM' ? inNamespace : inNamespace.filter(({ parent }) => parent === init?.pid);
  // Orphans of the CLI have the same parent; it is older than they are.
  const [oldest] = receivers.toSorted((a, b) => Number(a.started) - Number(b.started));
  for (const receiver of signal === 'SIGTERM' ? receivers : [oldest]) if (receiver) send(receiver.pid, signal);
}

/**
 * Records the descendants of a running process. Once it has exited, descendants in other sessions cannot be found, because their
 * parent pid is 1.
 */
export class TreeRecord {
  readonly #root: number;
  readonly #seen = new Map<number, ProcessRecord>();
  /** On Linux, the pids of the machine when the descendants were first listed; undefined before. */
  present: ReadonlySet<number> | undefined;

  constructor(root: number) {
    this.#root = root;
  }

  /** Records the current descendants. */
  look(): void {
    // List the pids before the descendants: every later process counts as new.
    this.present ??= new Set(process.platform === 'linux' ? runningPids() : []);
    for (const record of descendantsOf(this.#root)) this.#seen.set(record.pid, record);
  }

  /** Kills the recorded descendants that still run. Call it immediately after the process was reaped. */
  killSurvivors(): void {
    if (process.platform === 'win32') return;
    if (this.#seen.size === 0) {
      send(-this.#root, 'SIGKILL');
      return;
    }
    const table = processTable();
    const survivors: ProcessRecord[] = [];
    const groups = [this.#root];
    for (const seen of this.#seen.values()) {
      const now = table.get(seen.pid);
      if (now === undefined) groups.push(seen.pid);
      else if (now.started === seen.started) survivors.push(now);
    }
    const pids = survivors.map(({ pid }) => pid);
    killAll(table, [...survivors, ...descendantsIn(table, pids)], groups);
  }
}

/** Creates a mark that is unique on this machine: worker threads share the pid, and each has its own counter. */
export function newMark(): string {
  return `${process.pid}.${Math.random().toString(36).slice(2)}.${marks++}`;
}

let marks = 0;

/**
 * Kills each of these processes that has this mark in its environment; the pids may include those of threads and of processes that have
 * exited. With `present`, spares the processes in it and the children of marked processes in it, which left the tree on purpose. Linux
 * only: other systems do not expose environments.
 */
export function killMarked(mark: string, pids: readonly number[], present?: ReadonlySet<number>): void {
  if (process.platform !== 'linux') return;
  const table = processTable();
  const entry = `${RUN_VARIABLE}=${mark}`;
  const isOfAnother = (parent: number): boolean => present?.has(parent) === true && hasEnv(parent, entry);
  // The threads of a process have its environment, and a process that is spared may have started one.
  const found = pids.filter((pid) => !present?.has(pid) && hasEnv(pid, entry) && isProcess(pid));
  const records = found.flatMap((pid) => table.get(pid) ?? []).filter(({ parent }) => !isOfAnother(parent));
  killAll(table, records, []);
}

/** Warns once per host if the CLI's descendants cannot be listed, and therefore not all of them can be killed. */
export function warnOfUnseenTrees(warn: (warning: Warning) => void): void {
  if (warned || seesProcesses()) return;
  warned = true;
  const message =
    '/proc cannot be read, or belongs to another PID namespace. When a CLI has to be killed, only its own process group is killed; commands it runs in other sessions may keep running. Mount /proc for this process.';
  warn(warning('process-tree-unseen', message));
}

let warned = false;

function descendantsIn(table: ProcessTable, roots: readonly number[]): ProcessRecord[] {
  const found = new Map<number, ProcessRecord>();
  const queue = [...roots];
  for (const parent of queue) {
    for (const pid of table.childrenOf(parent)) {
      const record = found.has(pid) ? undefined : table.get(pid);
      if (record === undefined) continue;
      found.set(pid, record);
      queue.push(pid);
    }
  }
  return [...found.values()];
}

/** Stops every process found, and repeats the search: a stopped process cannot start others. */
function freezeTree(root: number): { table: ProcessTable; frozen: ProcessRecord[] } {
  const frozen = new Map<number, ProcessRecord>();
  let table = processTable();
  for (let pass = 0; pass < PASSES; pass++) {
    if (pass > 0) table = processTable();
    const now = [table.get(root) ?? [], descendantsIn(table, [root, ...frozen.keys()])].flat();
    const fresh = now.filter(({ pid }) => !frozen.has(pid));
    if (fresh.length === 0) break;
    for (const record of fresh) {
      frozen.set(record.pid, record);
      send(record.pid, 'SIGSTOP');
    }
  }
  return { table, frozen: [...frozen.values()] };
}

/** The kernel does not reuse the number of a group with members, so a group can be killed after its leader. */
function killAll(table: ProcessTable, records: readonly ProcessRecord[], ledGroups: readonly number[]): void {
  if (records.length === 0 && ledGroups.length === 0) return;
  const own = table.get(process.pid)?.group;
  const groups = new Set([...ledGroups, ...records.map(({ group }) => group)]);
  for (const group of groups) if (group > 1 && group !== own) send(-group, 'SIGKILL');
  for (const { pid } of records) if (pid > 1 && pid !== process.pid) send(pid, 'SIGKILL');
}

/** Sends a signal to a process, or to the group `-pid`. Returns false if it has exited or must not be signalled. Never throws. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
