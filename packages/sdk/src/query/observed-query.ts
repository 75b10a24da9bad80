import type { ObservedRun } from '../report/run-observer.ts';
import type { QueryStream } from './query-stream.ts';

const queries = new WeakMap<ObservedRun, WeakRef<QueryStream>>();

/**
 * The stream of an observed query, as soon as `query` has returned; `undefined` for a session, and for a query that the
 * program has dropped.
 */
export function queryOf(run: ObservedRun): QueryStream | undefined {
  return queries.get(run)?.deref();
}

/** Makes a query known under its run. */
export function noteQuery(run: ObservedRun, stream: QueryStream): void {
  queries.set(run, new WeakRef(stream));
}
