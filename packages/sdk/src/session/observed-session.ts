import type { ObservedRun } from '../report/run-observer.ts';
import type { Session } from './session.ts';

const sessions = new WeakMap<ObservedRun, WeakRef<Session>>();

/**
 * The session of an observed run, as soon as `openSession` has returned. `undefined` for a query, and for a session that the
 * program has dropped: observing does not keep it open, but a reference to what this returns does.
 */
export function sessionOf(run: ObservedRun): Session | undefined {
  return sessions.get(run)?.deref();
}

/** Makes a session known under its run. */
export function noteSession(run: ObservedRun, session: Session): void {
  sessions.set(run, new WeakRef(session));
}
