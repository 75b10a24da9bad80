import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Processes of this run's workers and server that are still alive. */
export function leftProcesses(directory: string, agentLog: string, pids: readonly number[]): string[] {
  const found: string[] = [];
  for (const pid of pids) if (isWorker(pid, agentLog)) found.push(`worker ${pid}`);
  const pidFile = join(directory, 'data/postmaster.pid');
  if (existsSync(pidFile)) found.push('PostgreSQL');
  return found;
}

/** On a busy machine, the pid of a worker may belong to another process by now. The configuration of a worker names its log. */
function isWorker(pid: number, agentLog: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(agentLog);
  } catch {
    return false;
  }
}
