import { createRedactor, type Redactor } from '../redact.ts';
import type { ResultMessage } from '../wire/messages.ts';
import { CoxswainError, describeExit, isError, plain, quoteOutput, reasonOf } from './base.ts';

/** The CLI ended without a result. With `strictExit`, it may also have failed after one. */
export class ProcessError extends CoxswainError<'process'> {
  declare readonly exitCode: number | null;
  declare readonly signal: string | null;
  /** The last lines of stderr, redacted. */
  declare readonly stderrTail: string;
  declare readonly stdoutWasEmpty: boolean;
  declare readonly lastNonJsonLine: string | undefined;
  declare readonly hint: string | undefined;
  declare readonly result: ResultMessage | undefined;

  constructor(failure: ProcessFailure) {
    super('ProcessError', describe(failure), {
      lastNonJsonLine: undefined,
      hint: undefined,
      result: undefined,
      ...failure,
    });
  }
}

/** Reading from the CLI or writing to it failed while it was running. */
export class TransportError extends CoxswainError<'transport'> {
  constructor(message: string, cause?: unknown) {
    super('TransportError', message, { cause });
  }
}

/** The caller aborted the signal or cancelled the pool job; `cause` is the caller's reason. */
export class AbortError extends CoxswainError<'abort'> {
  declare readonly by: 'signal' | 'cancel';
  readonly #redact: Redactor;

  /** `redact` removes secrets from the message and the JSON; `cause` is the unchanged reason. */
  constructor(reason: unknown, by: 'signal' | 'cancel' = 'signal', redact: Redactor = createRedactor()) {
    const what =
      by === 'signal' ? "The operation was aborted by the caller's signal" : 'The job was cancelled by cancel()';
    const why = isError(reason) ? `: ${redact(reasonOf(reason))}` : '';
    super('AbortError', `${what}${why}.`, { by, cause: reason });
    this.#redact = redact;
  }

  override toJSON(): Record<string, unknown> {
    const { name, code, message, by, cause } = this;
    return { name, code, message, by, ...(cause !== undefined && { cause: plain(cause, this.#redact) }) };
  }
}

/** Which timeout expired. */
export type TimeoutKind = 'timeoutMs' | 'idleTimeoutMs';

/** `timeoutMs` or `idleTimeoutMs` expired. */
export class TimeoutError extends CoxswainError<'timeout'> {
  declare readonly kind: TimeoutKind;
  declare readonly ms: number;

  constructor(kind: TimeoutKind, ms: number) {
    const message =
      kind === 'timeoutMs'
        ? `The run or turn took longer than timeoutMs (${ms} ms) and was stopped. Raise it, or make the task smaller.`
        : `The CLI sent nothing for idleTimeoutMs (${ms} ms) and was stopped. Raise it if the model or a tool may be silent that long.`;
    super('TimeoutError', message, { kind, ms });
  }
}

/** A stream was iterated a second time. */
export class StreamConsumedError extends CoxswainError<'stream-consumed'> {
  constructor() {
    const message =
      'This stream is being iterated, or already was. Iterate it once; result(), text() and output() can be awaited any number of times.';
    super('StreamConsumedError', message);
  }
}

/** The run was closed or ended before a result arrived. */
export class NoResultError extends CoxswainError<'no-result'> {
  constructor(why: string) {
    super(
      'NoResultError',
      `The run ended without a result: ${why}. See its warnings and its closed promise for details.`,
    );
  }
}

/** The run ended with an outcome other than `completed`; `result` is the CLI's result message. */
export class ResultError extends CoxswainError<'result'> {
  /** The `kind` of `outcomeOf(result)`. */
  declare readonly outcome: string;
  declare readonly result: ResultMessage;
  /** For the outcome `rate-limit`: the end of the limit in milliseconds since 1970, if the CLI reported it. */
  declare readonly resetsAt: number | undefined;

  /** `redact` removes secrets from quoted output; the result itself is not changed. */
  constructor(
    outcome: string,
    result: ResultMessage,
    { resetsAt, redact = (text) => text }: { resetsAt?: number | undefined; redact?: (text: string) => string } = {},
  ) {
    const said = detailOf(result, redact);
    const message = `The run ended with the outcome ${outcome}${said && `: ${said}`}. outcomeOf(error.result) has the details.`;
    super('ResultError', message, { outcome, result, resetsAt });
  }
}

/** One problem reported by a schema. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (string | number)[];
}

/** Reasons for a missing or invalid structured output. */
export type StructuredOutputFailure = 'absent' | 'invalid' | 'retries';

/** The run has no valid structured output. */
export class StructuredOutputError extends CoxswainError<'structured-output'> {
  declare readonly reason: StructuredOutputFailure;
  declare readonly issues: readonly SchemaIssue[];
  declare readonly result: ResultMessage;

  constructor(
    reason: StructuredOutputFailure,
    result: ResultMessage,
    issues: readonly SchemaIssue[] = [],
    hasSchema = true,
  ) {
    super('StructuredOutputError', explain(reason, issues, hasSchema), { reason, issues, result });
  }
}

/** A line on stdout was not valid UTF-8; `bytes` are its exact bytes. */
export class Utf8DecodeError extends CoxswainError<'utf8-decode'> {
  declare readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    const message = `A line of ${bytes.length} bytes on the CLI's stdout is not valid UTF-8. Another program may be writing to it.`;
    super('Utf8DecodeError', message, { bytes });
  }
}

/** A line on stdout was not JSON; `line` is the exact line. */
export class JsonDecodeError extends CoxswainError<'json-decode'> {
  declare readonly line: string;

  constructor(line: string, cause?: unknown) {
    const message = `A line on the CLI's stdout is not JSON: ${excerpt(line)}. A wrapper script or an old CLI may be printing it.`;
    super('JsonDecodeError', message, { line, cause });
  }
}

/** A line was JSON, but not an object with a string `type`. */
export class UnexpectedMessageError extends CoxswainError<'unexpected-message'> {
  declare readonly rawJson: string;

  constructor(rawJson: string) {
    const message = `The CLI sent JSON that is not a message (no string "type"): ${excerpt(rawJson)}. The run continues without it.`;
    super('UnexpectedMessageError', message, { rawJson });
  }
}

/** Too many undecodable lines in a row: the program does not use the CLI's protocol. */
export class TooManyDecodeErrors extends CoxswainError<'too-many-decode-errors'> {
  declare readonly count: number;
  declare readonly last: CoxswainError;

  constructor(count: number, last: CoxswainError) {
    const message = `${count} lines in a row could not be decoded: the program does not write Claude Code's stream-json. Check the option cli and any wrapper. Last: ${last.message}`;
    super('TooManyDecodeErrors', message, { count, last, cause: last });
  }
}

/** A line exceeded `limits.maxLineBytes` before it ended. */
export class BufferOverflowError extends CoxswainError<'buffer-overflow'> {
  declare readonly limit: number;

  constructor(limit: number) {
    const message = `The CLI sent a line longer than ${limit} bytes. Raise limits.maxLineBytes if such lines are expected.`;
    super('BufferOverflowError', message, { limit });
  }
}

/** The details of a process that failed. */
type ProcessFailure = Pick<ProcessError, 'exitCode' | 'signal' | 'stderrTail' | 'stdoutWasEmpty'> &
  Partial<Pick<ProcessError, 'lastNonJsonLine' | 'hint' | 'result' | 'cause'>>;

function describe({ result, stderrTail, lastNonJsonLine, hint, ...exit }: ProcessFailure): string {
  const how = describeExit(exit);
  const said = quoteOutput(stderrTail.trim() || lastNonJsonLine || '');
  return `The CLI ${how} ${result ? 'after its result' : 'without a result'}.${said}${hint ? ` ${hint}` : ''}`;
}

/** The CLI's description of a failure: `errors` of an error result, or the text of `result` if the API failed. */
function detailOf(result: ResultMessage, redact: (text: string) => string): string {
  const fields: Readonly<Record<string, unknown>> = { ...result };
  const said = Array.isArray(fields.errors) ? fields.errors.join('; ') : fields.result;
  if (typeof said !== 'string') return '';
  return redact(said)
    .slice(0, 300)
    .replace(/\.\s*$/, '');
}

function explain(reason: StructuredOutputFailure, issues: readonly SchemaIssue[], hasSchema: boolean): string {
  switch (reason) {
    case 'absent':
      return hasSchema
        ? 'The run has no structured output: the model did not return one. Ask for it in the prompt as well.'
        : 'The run has no structured output: the option outputSchema was not set. Set it, or use text().';
    case 'retries':
      return "The model could not produce an output that fits the schema within the CLI's retries. Simplify the schema, or explain it in the prompt.";
    case 'invalid':
      return `The structured output does not fit the schema: ${issues
        .map((issue) => (issue.path?.length ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
        .join('; ')}. Loosen the schema, or explain it in the prompt.`;
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
