import { TransportError } from 'coxswain/errors';

/**
 * The problem: the file does not exist, is unfinished, damaged or in another format; the host starts more runs than were
 * recorded, or behaves differently from the recorded host; or the cassette could not be written, or no run was recorded.
 */
export type CassetteProblem =
  | 'missing'
  | 'unfinished'
  | 'corrupt'
  | 'version'
  | 'no-more-runs'
  | 'mismatch'
  | 'not-written'
  | 'nothing-recorded';

/** One field in which a run differs from its recording. A side without the field has no value. */
export interface Difference {
  /** Such as `request.hooks.PreToolUse[0].matcher`; empty for the whole. */
  readonly path: string;
  readonly recorded?: unknown;
  readonly live?: unknown;
}

/** A cassette cannot be recorded or played. Its `code` is `transport`; `problem` is the kind of failure. */
export class CassetteError extends TransportError {
  readonly problem: CassetteProblem;
  readonly file: string;
  /** The line of the cassette, counted from 1. */
  readonly line: number | undefined;
  /** For a mismatch: the differences, if the recording has something to compare with. */
  readonly differences: readonly Difference[];

  constructor(
    message: string,
    fields: {
      readonly problem: CassetteProblem;
      readonly file: string;
      readonly line?: number | undefined;
      readonly differences?: readonly Difference[];
      readonly cause?: unknown;
    },
  ) {
    super(message, fields.cause);
    Object.defineProperty(this, 'name', { value: 'CassetteError', configurable: true });
    if (this.stack !== undefined) this.stack = this.stack.replace(/^TransportError/, 'CassetteError');
    this.problem = fields.problem;
    this.file = fields.file;
    this.line = fields.line;
    this.differences = fields.differences ?? [];
  }
}
