import { readFileSync } from 'node:fs';

/** The peak memory of this process so far. On Linux `maxRSS` may still be that of the parent process. */
export function peakKb() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}
