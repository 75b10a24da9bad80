import { CliExitedDuringInitError } from '../errors/start.ts';
import { hintFor, processFailure } from '../process/process-failure.ts';
import type { ExitReport } from '../process/transport.ts';
import type { LiveSession } from './live.ts';

/** The error for a process that went away by itself: while the session started, or later. */
export function goneFailure(session: LiveSession, exit: ExitReport): Error {
  const { exitCode, signal } = exit;
  if (session.state === 'starting' || session.state === 'init-sent') {
    const hint = hintFor({ exitCode, signal, stderr: session.stderr.raw() });
    return new CliExitedDuringInitError({ exitCode, signal, hint }, { ...lastWords(session), cause: exit.error });
  }
  return processFailure(exit, session.stderr, {
    stdoutWasEmpty: false,
    lastNonJsonLine: undefined,
    result: undefined,
  });
}

/** What the CLI said last, as an error shows it. */
export function lastWords({ stderr, lastWords: said, redact }: LiveSession): {
  readonly stderrTail: string;
  readonly said: string | undefined;
} {
  return { stderrTail: stderr.text(), said: said === undefined ? undefined : redact(said) };
}
