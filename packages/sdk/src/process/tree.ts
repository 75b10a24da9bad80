import { type Warning, warning } from '../warnings/warning.ts';
import {
  hasEnv,
  type ProcessRecord,
  type ProcessTable,
  processTable,
  runningPids,
  seesProcesses,
} from './process-table.ts';

/** Set in the environment of the CLI and of everything it starts: it identifies tools whose CLI was killed. */
export const RUN_VARIABLE = 'COXSWAIN_RUN';

/** How often a tree is listed again while it grows. */
const PASSES = 3;

/** All living descendants of a process, parents before their children. Empty on Windows. */
export function descendantsOf(pid: number): ProcessRecord[] {
  return process.platform === 'win32' ? [] : descendantsIn(processTable(), [pid]);
}

/** Kills a process, everything it started and the groups these lead. Synchronous, and never throws. */
export function killTree(pid: number): void {
  if (pid <= 1 || pid === process.pid) return;
  if (process.platform === 'win32') {
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const program = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
    spawnSync(program, ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true, timeout: 5_000 });
  } else {
    const { table, frozen } = freezeTree(pid);
    killAll(table, frozen, [pid]);
    // Without a process table it was not among those found.
    send(pid, 'SIGKILL');
  }
}

/**
 * Records the descendants of a process while it lives. Descendants in other sessions cannot be found once it is gone:
 * their parent pid is 1 then.
 */
export class TreeRecord {
  readonly #root: number;
  readonly #seen = new Map<number, ProcessRecord>();
  /** Linux: the processes of the machine when the descendants were first listed; undefined until then. */
  present: ReadonlySet<number> | undefined;

  constructor(root: number) {
    this.#root = root;
  }

  /** Records the descendants that exist now. */
  look(): void {
    // Before the descendants: whatever starts from here on is new.
    this.present ??= new Set(process.platform === 'linux' ? runningPids() : []);
    for (const record of descendantsOf(this.#root)) this.#seen.set(record.pid, record);
  }

  /** Kills the recorded descendants that outlived the process, which must just have been reaped. */
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

/** A mark that no other run on this machine has: worker threads share the pid, and each counts separately. */
export function newMark(): string {
  return `${process.pid}.${Math.random().toString(36).slice(2)}.${marks++}`;
}

let marks = 0;

/**
 * Kills every process that has this mark in its environment; with `present`, those that are not among them, nor children of a
 * marked one that is: that one has left the tree on purpose. Linux only: other systems do not show environments.
 */
export function killMarked(mark: string, present?: ReadonlySet<number>): void {
  if (process.platform !== 'linux') return;
  const table = processTable();
  const entry = `${RUN_VARIABLE}=${mark}`;
  const isOfAnother = (parent: number): boolean => present?.has(parent) === true && hasEnv(parent, entry);
  const found = runningPids().filter((pid) => !present?.has(pid) && hasEnv(pid, entry));
  const records = found.flatMap((pid) => table.get(pid) ?? []).filter(({ parent }) => !isOfAnother(parent));
  killAll(table, records, []);
}

/** Warns, once per host, when the processes the CLI starts cannot be listed, so that not all of them can be killed. */
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

/** Stops every process found, and looks again: a stopped process starts no further ones. */
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

/** The kernel does not reuse the number of a group that has members, so a leader's group may be killed after it. */
function killAll(table: ProcessTable, records: readonly ProcessRecord[], ledGroups: readonly number[]): void {
  const own = table.get(process.pid)?.group;
  const groups = new Set([...ledGroups, ...records.map(({ group }) => group)]);
  for (const group of groups) if (group > 1 && group !== own) send(-group, 'SIGKILL');
  for (const { pid } of records) if (pid > 1 && pid !== process.pid) send(pid, 'SIGKILL');
}

/** Sends a signal to a process, or to the group `-pid`. False when it is gone, or may not be signalled. Never throws. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
