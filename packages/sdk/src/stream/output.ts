import { ResultError, StructuredOutputError } from '../errors/result.ts';
import { type Outcome, outcomeOf } from '../messages/outcome.ts';
import type { OutputSchema } from '../options/groups.ts';
import { validateOutput } from '../options/output-schema.ts';
import type { Redactor } from '../redact.ts';
import type { ResultMessage } from '../wire/messages.ts';

/** The structured output of a result, checked against the caller's schema. @throws StructuredOutputError, ResultError */
export async function readOutput<T>(
  result: ResultMessage,
  { outputSchema: schema, redact }: { readonly outputSchema: OutputSchema<T> | undefined; readonly redact: Redactor },
): Promise<T> {
  const outcome = outcomeOf(result);
  if (outcome.kind === 'structured-output') throw new StructuredOutputError('retries', result);
  if (outcome.kind !== 'completed') throw resultError(outcome, result, redact);
  const value = 'structured_output' in result ? result.structured_output : undefined;
  if (schema === undefined || value === undefined) throw new StructuredOutputError('absent', result);
  const checked = await validateOutput(schema, value);
  if ('issues' in checked) throw new StructuredOutputError('invalid', result, checked.issues);
  return checked.value;
}

/** The error for a run that did not complete. */
export function resultError(outcome: Outcome, result: ResultMessage, redact: Redactor): ResultError {
  const resetsAt = outcome.kind === 'rate-limit' ? outcome.resetsAt : undefined;
  return new ResultError(outcome.kind, result, { resetsAt, redact });
}
