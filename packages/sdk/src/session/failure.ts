import { CliExitedDuringInitError } from '../errors/start.ts';
import { ProcessError } from '../errors/stream.ts';
import { hintFor } from '../launch/hint.ts';
import type { ExitReport } from '../process/transport.ts';
import type { LiveSession } from './live.ts';

/** The error for a process that went away by itself: while the session started, or later. */
export function processFailure(session: LiveSession, exit: ExitReport): Error {
  const { exitCode, signal } = exit;
  const stderrTail = session.stderr.text();
  const hint = hintFor({ exitCode, signal, stderr: stderrTail });
  if (session.state === 'starting' || session.state === 'init-sent') {
    const said = session.lastWords;
    return new CliExitedDuringInitError({ exitCode, signal, hint }, { stderrTail, said, cause: exit.error });
  }
  return new ProcessError({
    exitCode,
    signal,
    stderrTail,
    stdoutWasEmpty: false,
    hint,
    cause: exit.error,
  });
}
