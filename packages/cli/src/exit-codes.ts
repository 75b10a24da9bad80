import type { Outcome } from 'coxswain';

/** The exit codes of the command. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for the end of a turn. */
export function exitCodeOf(outcome: Outcome): ExitCode {
  if (outcome.kind === 'completed') return EXIT.ok;
  return outcome.kind === 'interrupted' ? EXIT.interrupted : EXIT.failed;
}

/** Wrong usage of the command: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
