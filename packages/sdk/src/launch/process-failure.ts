import { ProcessError, type ProcessFailure } from '../errors/stream.ts';
import type { StderrTail } from '../process/stderr-tail.ts';
import type { ExitReport } from '../process/transport.ts';
import { hintFor } from './hint.ts';

/** The error for a CLI that ended badly: how it ended, what it said, and what to do about it. */
export function processFailure(
  { exitCode, signal, error }: ExitReport,
  stderr: StderrTail,
  said: Pick<ProcessFailure, 'stdoutWasEmpty' | 'lastNonJsonLine' | 'result'>,
): ProcessError {
  const hint = hintFor({ exitCode, signal, stderr: stderr.raw() });
  return new ProcessError({ exitCode, signal, stderrTail: stderr.text(), hint, cause: error, ...said });
}
