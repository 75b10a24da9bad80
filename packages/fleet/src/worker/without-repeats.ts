import { DatabaseUnavailableError, FleetClosedError } from '../errors.ts';

/** How often a database that is away is reported. */
const REPEAT_MS = 30_000;

/** Everything in a worker fails while the database is away, several times a second; one report is enough. */
export function withoutRepeats(
  onError: (error: unknown) => void,
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    // The worker has stopped meanwhile.
    if (error instanceof FleetClosedError) return;
    if (error instanceof DatabaseUnavailableError) {
      if (now() < reportedAt + REPEAT_MS) return;
      reportedAt = now();
    }
    onError(error);
  };
}
