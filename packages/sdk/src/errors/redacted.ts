import type { Redactor } from '../redact.ts';
import { redactedData } from '../redacted-data.ts';
import type { Warning } from '../warnings/warning.ts';
import { type ErrorCode, isCoxswainError } from './any-error.ts';
import type { CoxswainError } from './base.ts';
import { JsonDecodeError, TooManyDecodeErrors, UnexpectedMessageError } from './stream.ts';

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
