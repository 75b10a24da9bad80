import { type CoxswainError, isBranded } from '../errors/base.ts';
import { JsonDecodeError, TooManyDecodeErrors, UnexpectedMessageError } from '../errors/decode.ts';
import type { Redactor } from '../redact.ts';
import type { Warning } from '../warnings/warning.ts';
import { redactedData } from './redacted-data.ts';

/** The same error without the secrets that the CLI may have printed; the error itself keeps its line exactly. */
export function redactedError(error: CoxswainError, redact: Redactor): CoxswainError {
  // Made anew from the redacted line: the message has only the beginning of it, in quotes, where a secret is not found.
  if (error instanceof JsonDecodeError) return new JsonDecodeError(redact(error.line));
  if (error instanceof UnexpectedMessageError) return new UnexpectedMessageError(redact(error.rawJson));
  if (error instanceof TooManyDecodeErrors)
    return new TooManyDecodeErrors(error.count, redactedError(error.last, redact));
  return error;
}

/** The same warning without the secrets that the CLI, or a callback in its exception, may have put into it. */
export function redactedWarning({ code, message, context }: Warning, redact: Redactor): Warning {
  return { code, message: redact(message), context: redactedData(context, redact) };
}

/** An error as plain JSON without secrets. */
export function redactedJson(error: Error, redact: Redactor): Readonly<Record<string, unknown>> {
  return redactedData(plainError(isBranded(error) ? redactedError(error, redact) : error), redact);
}

/** An error as plain JSON, also when its cause is something that JSON cannot hold. */
export function plainError(error: Error): Readonly<Record<string, unknown>> {
  const head = { name: error.name, ...(isBranded(error) && { code: error.code }), message: error.message };
  try {
    return JSON.parse(JSON.stringify(isBranded(error) ? error.toJSON() : head));
  } catch {
    return head;
  }
}
