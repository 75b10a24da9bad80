import { DatabaseUnavailableError, FleetClosedError } from '../errors.ts';

/** Interval between reports of an unreachable database. */
const REPEAT_MS = 30_000;

/** Drops repeated reports: while the database is down, everything in a worker fails several times a second. */
export function withoutRepeats(
  onError: (error: unknown) => void,
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    // Expected after the worker has stopped.
    if (error instanceof FleetClosedError) return;
    if (error instanceof DatabaseUnavailableError) {
      if (now() < reportedAt + REPEAT_MS) return;
      reportedAt = now();
    }
    onError(error);
  };
}
