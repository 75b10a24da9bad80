import type { ResultMessage } from '../wire/messages.ts';
import { CoxswainError } from './base.ts';

/** The run came to its end, but not with the outcome `completed`; `result` is what the CLI said. */
export class ResultError extends CoxswainError {
  declare readonly code: 'result';
  /** The kind of `outcomeOf(result)`. */
  readonly outcome: string;
  readonly result: ResultMessage;
  /** Of a `rate-limit`: when the limit ends, in milliseconds since 1970, if the CLI has said so. */
  readonly resetsAt: number | undefined;

  /** `redact` takes the secrets out of what the message repeats; the result itself stays as it came. */
  constructor(
    outcome: string,
    result: ResultMessage,
    { resetsAt, redact = (text) => text }: { resetsAt?: number | undefined; redact?: (text: string) => string } = {},
  ) {
    const said = detailOf(result, redact);
    super(
      'ResultError',
      `The run ended with the outcome ${outcome}${said && `: ${said}`}. outcomeOf(error.result) has the details.`,
    );
    this.outcome = outcome;
    this.result = result;
    this.resetsAt = resetsAt;
  }
}

/** What the CLI says about a bad end: `errors` on an error result, the text of `result` on an API failure. */
function detailOf(result: ResultMessage, redact: (text: string) => string): string {
  const fields: Readonly<Record<string, unknown>> = { ...result };
  const said = Array.isArray(fields.errors) ? fields.errors.join('; ') : fields.result;
  return typeof said === 'string'
    ? redact(said)
        .slice(0, 300)
        .replace(/\.\s*$/, '')
    : '';
}

/** One thing a schema found wrong with a value. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (string | number)[];
}

/** What went wrong with a structured output. */
export type StructuredOutputFailure = 'absent' | 'invalid' | 'retries';

/** The run has no valid structured output. */
export class StructuredOutputError extends CoxswainError {
  declare readonly code: 'structured-output';
  readonly reason: StructuredOutputFailure;
  readonly issues: readonly SchemaIssue[];
  readonly result: ResultMessage;

  constructor(reason: StructuredOutputFailure, result: ResultMessage, issues: readonly SchemaIssue[] = []) {
    super('StructuredOutputError', explain(reason, issues));
    this.reason = reason;
    this.issues = issues;
    this.result = result;
  }
}

function explain(reason: StructuredOutputFailure, issues: readonly SchemaIssue[]): string {
  switch (reason) {
    case 'absent':
      return 'There is no structured output: outputSchema was not set, or the model gave none. Ask for it in the prompt, too.';
    case 'retries':
      return "The model could not produce an output that fits the schema within the CLI's retries. Make the schema simpler or say more in the prompt.";
    case 'invalid':
      return `The structured output does not fit the schema: ${issues
        .map((issue) => (issue.path?.length ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
        .join('; ')}. Loosen the schema, or say more in the prompt.`;
  }
}
