import type { ResultMessage } from '../wire/messages.ts';
import { CoxswainError } from './base.ts';

/** Everything known about a process that ended badly. */
export interface ProcessFailure {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last lines of stderr, redacted. */
  readonly stderrTail: string;
  readonly stdoutWasEmpty: boolean;
  readonly lastNonJsonLine?: string | undefined;
  readonly hint?: string | undefined;
  readonly result?: ResultMessage | undefined;
  readonly cause?: unknown;
}

/** The CLI ended without a result, or badly after one when `strictExit` is set. */
export class ProcessError extends CoxswainError {
  declare readonly code: 'process';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
  readonly stdoutWasEmpty: boolean;
  readonly lastNonJsonLine: string | undefined;
  readonly hint: string | undefined;
  readonly result: ResultMessage | undefined;

  constructor(failure: ProcessFailure) {
    super('ProcessError', describe(failure), failure.cause === undefined ? undefined : { cause: failure.cause });
    this.exitCode = failure.exitCode;
    this.signal = failure.signal;
    this.stderrTail = failure.stderrTail;
    this.stdoutWasEmpty = failure.stdoutWasEmpty;
    this.lastNonJsonLine = failure.lastNonJsonLine;
    this.hint = failure.hint;
    this.result = failure.result;
  }
}

/** Reading from or writing to the CLI failed while it was alive. */
export class TransportError extends CoxswainError {
  declare readonly code: 'transport';

  constructor(message: string, cause?: unknown) {
    super('TransportError', message, cause === undefined ? undefined : { cause });
  }
}

/** The caller's signal was aborted, or the caller cancelled the job of a pool; `cause` is the reason that was given. */
export class AbortError extends CoxswainError {
  declare readonly code: 'abort';
  readonly by: 'signal' | 'cancel';

  constructor(reason: unknown, by: 'signal' | 'cancel' = 'signal') {
    const what = by === 'signal' ? "The run was aborted by the caller's signal" : 'The job was cancelled by cancel()';
    super('AbortError', `${what}${reason instanceof Error ? `: ${reason.message}` : ''}.`, { cause: reason });
    this.by = by;
  }
}

/** Which clock ran out. */
export type TimeoutKind = 'timeoutMs' | 'idleTimeoutMs';

/** `timeoutMs` or `idleTimeoutMs` ran out. */
export class TimeoutError extends CoxswainError {
  declare readonly code: 'timeout';
  readonly kind: TimeoutKind;
  readonly ms: number;

  constructor(kind: TimeoutKind, ms: number) {
    super(
      'TimeoutError',
      kind === 'timeoutMs'
        ? `The run or turn took longer than timeoutMs (${ms} ms) and was ended. Raise it, or make the task smaller.`
        : `The CLI sent nothing for idleTimeoutMs (${ms} ms) and was ended. Raise it if the model or a tool may be silent that long.`,
    );
    this.kind = kind;
    this.ms = ms;
  }
}

/** A stream can be iterated once; this was the second time. */
export class StreamConsumedError extends CoxswainError {
  declare readonly code: 'stream-consumed';

  constructor() {
    super(
      'StreamConsumedError',
      'This stream is already being iterated, or was. Iterate once; result(), text() and output() may be awaited as often as you like.',
    );
  }
}

/** The run was closed, or ended, before a result came. */
export class NoResultError extends CoxswainError {
  declare readonly code: 'no-result';

  constructor(why: string) {
    super('NoResultError', `The run ended without a result: ${why}. Its warnings and closed say more.`);
  }
}

function describe(failure: ProcessFailure): string {
  const how =
    failure.signal === null ? `exited with code ${failure.exitCode}` : `was ended by the signal ${failure.signal}`;
  const when = failure.result ? 'after its result' : 'without a result';
  const said = failure.stderrTail.trim() || failure.lastNonJsonLine || '';
  return [
    `The CLI ${how} ${when}.`,
    said && `It said: ${sentence(said.length > 600 ? `…${said.slice(-600)}` : said)}`,
    failure.hint,
  ]
    .filter(Boolean)
    .join(' ');
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
