import { ProcessError, type ProcessFailure } from '../errors/stream.ts';
import type { ExitReport } from '../process/transport.ts';
import { hintFor } from './hint.ts';

/** The error for a CLI that ended badly: how it ended, what it said, and what to do about it. */
export function processFailure(
  { exitCode, signal, error }: ExitReport,
  said: Pick<ProcessFailure, 'stderrTail' | 'stdoutWasEmpty' | 'lastNonJsonLine' | 'result'>,
): ProcessError {
  const hint = hintFor({ exitCode, signal, stderr: said.stderrTail });
  return new ProcessError({ exitCode, signal, hint, cause: error, ...said });
}
