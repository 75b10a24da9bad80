import type { ExitReport } from '../process/transport.ts';
import { type Warning, warning } from '../warnings/warning.ts';

/** The session behind a handle. */
export interface Abandonable {
  readonly stopping: boolean;
  /** Its current CLI process. */
  readonly conversation: { readonly pid: number | undefined };
  readonly closed: Promise<ExitReport>;
  warn(warning: Warning): void;
  stop(): Promise<ExitReport>;
}

/** Ends a session whose handle was collected: it can be neither used nor closed. */
export function endWhenDropped(handle: object, session: Abandonable): void {
  const dropped = new FinalizationRegistry(() => {
    if (session.stopping) return;
    const message = 'A session was dropped without being closed; its conversation was ended.';
    session.warn(warning('session-abandoned', message, { pid: session.conversation.pid ?? null }));
    void session.stop();
  });
  dropped.register(handle, undefined);
  // Keeps the registry reachable until the session is closed.
  void session.closed.then(() => dropped);
}
