/** What changed, by meaning. */
export type Change =
  | 'now-refused'
  | 'now-runs'
  | 'now-asked'
  | 'no-longer-asked'
  | 'decided-otherwise'
  | 'now-invalid'
  | 'now-missing'
  | 'not-reached'
  | 'now-fails'
  | 'now-succeeds'
  | 'hook'
  | 'turn-outcome'
  | 'request'
  | 'tool'
  | 'system-prompt'
  | 'context'
  | 'warning';

/** One difference between two traces. */
export interface Difference {
  readonly change: Change;
  /** The turn, counted from 1, and the id of the call, if the difference concerns one. */
  readonly turn?: number;
  readonly call?: string;
  /** Its subject: `Bash(npm publish)`, `effort`, `tool Workflow`. */
  readonly subject: string;
  readonly before: string;
  readonly after: string;
  /** The reason that was given for the newer decision. */
  readonly reason?: string;
  /** An earlier call of this turn differs, so the model might not have made this call. */
  readonly afterDivergence?: true;
}

/** A difference as one line. */
export function describeDifference({ subject, before, after, reason, afterDivergence }: Difference): string {
  const because = reason === undefined || reason === '' ? '' : `: ${reason}`;
  return `${subject}: ${before} → ${after}${because}${afterDivergence ? ' (after an earlier difference)' : ''}`;
}
