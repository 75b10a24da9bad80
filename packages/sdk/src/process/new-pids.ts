import { steadyNow } from '../clock.ts';
import { lastPid, pidCount, runningPids } from './process-table.ts';

/** The longest time for which the order of pids is trusted. */
const LONGEST_MS = 5_000;

/** More processes and threads than a machine starts in a millisecond: all pids once take longer than this. */
const STARTS_PER_MS = 30;

/** To look up this many pids takes less time than to list all processes. */
const FEW_PIDS = 32;

/** Finds the processes of a Linux machine that may have started since this object was created. */
export class NewPids {
  readonly #since = steadyNow();
  readonly #lastPid: () => number | undefined;
  readonly #before: number | undefined;
  /** Linux needs longer to give out all pids once. A later process may have any of them. */
  readonly #lapMs = Math.min(LONGEST_MS, (pidCount() ?? 0) / STARTS_PER_MS);

  constructor(last: () => number | undefined = lastPid) {
    this.#lastPid = last;
    this.#before = last();
  }

  /**
   * Their pids, and possibly pids of threads and of processes that have exited; those of all running processes after some time, or if
   * the order of pids is not known.
   */
  candidates(): number[] {
    const before = this.#before;
    const isOrdered = before !== undefined && steadyNow() - this.#since <= this.#lapMs;
    if (!isOrdered) return runningPids();
    const few = pidsBetween(before, this.#lastPid());
    if (few) return few;
    const running = runningPids();
    // Read after the list, which then has no later process.
    const last = this.#lastPid();
    return last === undefined ? running : running.filter((pid) => isAfter(pid, before, last));
  }
}

/** The pids after the first one up to the last one; undefined if they are many, or if Linux began again with the lowest one. */
function pidsBetween(first: number, last: number | undefined): number[] | undefined {
  const count = last === undefined ? -1 : last - first;
  if (count < 0 || count > FEW_PIDS) return undefined;
  return Array.from({ length: count }, (_, nth) => first + 1 + nth);
}

/** Pids are given out in ascending order, and after the highest one from the beginning. */
export function isAfter(pid: number, first: number, last: number): boolean {
  return first <= last ? pid > first && pid <= last : pid > first || pid <= last;
}
