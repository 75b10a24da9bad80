import { LONGEST_TIMER_MS } from '../limits.ts';

/**
 * What a promise resolves to, or `undefined` when it takes longer than `ms`. Holds the host meanwhile, unless `unref` is
 * set. @throws what the promise rejects with
 */
export function within<T>(
  ms: number,
  promise: Promise<T>,
  options: { readonly unref?: boolean } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    // Node 24 warns of a negative time; to whoever counts down to a moment that has passed it is none at all.
    const timer = setTimeout(resolve, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS), undefined);
    if (options.unref) timer.unref();
    const inTime =
      <V>(settle: (outcome: V) => void) =>
      (outcome: V): void => {
        clearTimeout(timer);
        settle(outcome);
      };
    // A transport's own promise may be none.
    Promise.resolve(promise).then(inTime(resolve), inTime(reject));
  });
}
