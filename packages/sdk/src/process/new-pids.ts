import { steadyNow } from '../clock.ts';
import { lastPid, runningPids } from './process-table.ts';

/** Linux needs longer to give out all pids once. A later process may have any of them. */
const LAP_MS = 5_000;

/** Finds the processes of a Linux machine that may have started since this object was created. */
export class NewPids {
  readonly #since = steadyNow();
  readonly #lastPid: () => number | undefined;
  readonly #before: number | undefined;

  constructor(last: () => number | undefined = lastPid) {
    this.#lastPid = last;
    this.#before = last();
  }

  /** Their pids; those of all running processes after some seconds, or if the order of pids is not known. */
  running(): number[] {
    const running = runningPids();
    // Read after the list, which then has no later process.
    const last = this.#lastPid();
    const before = this.#before;
    if (before === undefined || last === undefined || steadyNow() - this.#since > LAP_MS) return running;
    return running.filter((pid) => isAfter(pid, before, last));
  }
}

/** Pids are given out in ascending order, and after the highest one from the beginning. */
export function isAfter(pid: number, first: number, last: number): boolean {
  return first <= last ? pid > first && pid <= last : pid > first || pid <= last;
}
