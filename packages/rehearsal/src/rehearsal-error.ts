/**
 * Why a rehearsal could not run: `unreadable` and `too-large` are about the recording, `agent` and `workspace` about the
 * stage, `release` about the CLI; `unsafe`: a tool could have run for real; `jail`: no jail is available.
 */
export type RehearsalProblem =
  | 'unreadable'
  | 'too-large'
  | 'agent'
  | 'workspace'
  | 'release'
  | 'unsafe'
  | 'jail'
  | 'condition';

/** A rehearsal could not run. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError';
  readonly problem: RehearsalProblem;

  constructor(problem: RehearsalProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}
