import { CliExitedDuringInitError } from '../errors/start.ts';
import { hintFor } from '../launch/hint.ts';
import { processFailure } from '../launch/process-failure.ts';
import type { ExitReport } from '../process/transport.ts';
import type { LiveSession } from './live.ts';

/** The error for a process that went away by itself: while the session started, or later. */
export function goneFailure(session: LiveSession, exit: ExitReport): Error {
  const { exitCode, signal } = exit;
  const stderrTail = session.stderr.text();
  if (session.state === 'starting' || session.state === 'init-sent') {
    const said = session.lastWords;
    const hint = hintFor({ exitCode, signal, stderr: stderrTail });
    return new CliExitedDuringInitError({ exitCode, signal, hint }, { stderrTail, said, cause: exit.error });
  }
  return processFailure(exit, { stderrTail, stdoutWasEmpty: false, lastNonJsonLine: undefined, result: undefined });
}
