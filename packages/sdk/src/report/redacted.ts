import { type CoxswainError, type ErrorCode, isCoxswainError } from '../errors/base.ts';
import { JsonDecodeError, TooManyDecodeErrors, UnexpectedMessageError } from '../errors/stream.ts';
import { MASK, type Redactor } from '../redact.ts';
import type { Warning } from '../warnings/warning.ts';

/** A copy of the error without secrets that the CLI may have printed; the error itself keeps its exact line. */
export function redactedError(error: CoxswainError, redact: Redactor): CoxswainError {
  // Made from the redacted line: the message quotes only its beginning, in which a secret would not be recognised.
  if (error instanceof JsonDecodeError) return new JsonDecodeError(redact(error.line));
  if (error instanceof UnexpectedMessageError) return new UnexpectedMessageError(redact(error.rawJson));
  if (error instanceof TooManyDecodeErrors)
    return new TooManyDecodeErrors(error.count, redactedError(error.last, redact));
  return error;
}

/** A copy of the warning without secrets that the CLI or an exception of a callback may have put into it. */
export function redactedWarning({ code, message, context }: Warning, redact: Redactor): Warning {
  return { code, message: redact(message), context: redactedData(context, redact) };
}

/** An error as plain JSON without secrets. */
export function redactedJson(error: Error, redact: Redactor): PlainError {
  return redactedData(plainError(isCoxswainError(error) ? redactedError(error, redact) : error), redact);
}

/** An error as plain JSON, with the same `code` as the error. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly code?: ErrorCode;
  readonly [field: string]: unknown;
}

/** An error as plain JSON, even when JSON cannot represent its cause. */
export function plainError(error: Error): PlainError {
  const head = { name: error.name, ...(isCoxswainError(error) && { code: error.code }), message: error.message };
  try {
    return JSON.parse(JSON.stringify(isCoxswainError(error) ? error.toJSON() : head));
  } catch {
    return head;
  }
}

/** A copy of plain data without secrets in its strings and numbers. The names of fields stay, and so do names in the fields listed below. */
export function redactedData<D>(data: D, redact: Redactor): D {
  // It has the same shape.
  return copied('', data, redact, new Set()) as D;
}

/** A copy of plain data for someone outside: what they change in it has no effect elsewhere. */
export function copyOf<D>(data: D): D {
  return redactedData(data, (text) => text);
}

/** Fields with names that programs switch on. */
const NAMING: ReadonlySet<string> = new Set([
  ...['type', 'subtype', 'kind', 'code', 'name', 'event', 'hook', 'option', 'state', 'status', 'outcome'],
  ...['ended', 'signal', 'role', 'failure', 'policy', 'tool', 'toolName', 'hook_event_name', 'tool_name'],
]);

/** How many levels are copied. JSON can be nested more deeply than functions can call each other. */
const DEEPEST = 1_000;

/** A redacted copy. What is not plain data stays as it is, unless something in it has to be redacted. */
function copied(key: string, value: unknown, redact: Redactor, around: Set<object>): unknown {
  if (typeof value === 'string') {
    // A secret that happens to be a word does not change names.
    return NAMING.has(key) && /^[A-Za-z][A-Za-z_-]*$/.test(value) ? value : redact(value);
  }
  // Only a number that is a secret as a whole: others have digits in common with it.
  if (typeof value === 'number') return redact(String(value)) === MASK ? MASK : value;
  if (typeof value !== 'object' || value === null) return value;
  if (around.has(value)) return '[circular]';
  if (around.size > DEEPEST) return '[nested too deeply]';
  around.add(value);
  const before = Object.entries(value);
  const after = before.map(([name, field]) => copied(Array.isArray(value) ? key : name, field, redact, around));
  around.delete(value);
  if (Array.isArray(value)) return after;
  const isData = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  if (!isData && after.every((field, index) => field === before[index]?.[1])) return value;
  return Object.fromEntries(before.map(([name], index) => [name, after[index]]));
}
