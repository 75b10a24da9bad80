import { readdirSync, readFileSync } from 'node:fs';

/** The environment variable that marks the CLI of a run, and everything it starts. */
export const MARK = 'COXSWAIN_FAULT';

/** The running processes of a run. */
export function markedProcesses(mark) {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const marked = readFileSync(`/proc/${name}/environ`, 'latin1').includes(`${MARK}=${mark}`);
      return marked && !/\) [ZX] /.test(readFileSync(`/proc/${name}/stat`, 'latin1')) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** The peak memory of a process so far, in bytes; 0 if it has exited. */
export function peakMemory(pid) {
  try {
    return 1_024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
