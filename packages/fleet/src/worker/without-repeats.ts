import { DatabaseUnavailableError, FleetClosedError } from '../errors.ts';
import { messageOf } from '../turn/text-of.ts';

/** Interval between reports of an unreachable database. */
const REPEAT_MS = 30_000;

/**
 * Drops repeated reports: while the database is down, everything in a worker fails several times a second. If `onError` itself fails, a
 * process warning is emitted once, and the worker continues.
 */
export function withoutRepeats(
  onError: (error: unknown) => void,
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let warned = false;
  const warn = (failure: unknown): void => {
    if (!warned) process.emitWarning(`onError failed: ${messageOf(failure)}. The worker continues.`, WARNING);
    warned = true;
  };
  return (error) => {
    // Expected after the worker has stopped.
    if (error instanceof FleetClosedError) return;
    if (error instanceof DatabaseUnavailableError) {
      if (now() < reportedAt + REPEAT_MS) return;
      reportedAt = now();
    }
    // Awaited, because `onError` may be an async function.
    (async () => onError(error))().catch(warn);
  };
}

const WARNING = { type: 'CoxswainWarning', code: 'COXSWAIN_FLEET_ON_ERROR' };
