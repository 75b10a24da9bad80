import { unknownName } from '@coxswain/shared/unknown-name';
import { RehearsalError } from '../rehearsal-error.ts';
import type { ProbedRequest } from './probe.ts';

/** True if a request meets the condition. */
export type Condition = (request: ProbedRequest) => boolean;

/**
 * Reads a condition: `request.effort == "medium"`, `request.system contains "25 words"`, `request.tools contains "Workflow"`,
 * `request.thinking is unset`. Several are joined by `and`.
 * @throws RehearsalError for anything else
 */
export function parseCondition(text: string): Condition {
  const parts = partsOf(text).map(parseOne);
  return (request) => parts.every((holds) => holds(request));
}

/** Splits at `and` outside of quotes. */
function partsOf(text: string): string[] {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"/g, (value) => value.replace(/\band\b/g, 'an\u0000d'));
  return quoted.split(/\s+and\s+/).map((part) => part.replaceAll('an\u0000d', 'and').trim());
}

function parseOne(text: string): Condition {
  const [, field = '', operator = '', value = ''] =
    /^request\.(\w+)\s+(==|!=|contains|lacks|is)\s+(.+)$/.exec(text) ?? [];
  if (field === '') throw new RehearsalError('condition', `"${text}" is not a condition. ${FORM}`);
  if (!isField(field)) throw new RehearsalError('condition', `request.${field} ${unknownName('field', field, FIELDS)}`);
  if (operator === 'is') {
    if (value !== 'set' && value !== 'unset')
      throw new RehearsalError('condition', `"${text}": after "is", write set or unset.`);
    return (request) => (request[field] === undefined) === (value === 'unset');
  }
  const wanted = literal(value, text);
  return (request) => COMPARED[operator]?.(request[field], wanted) ?? false;
}

const FORM = 'Write one such as request.effort == "medium" or request.system contains "25 words".';

type Field = ProbedRequest[keyof ProbedRequest];

const FIELDS: readonly (keyof ProbedRequest)[] = [
  ...(['model', 'effort', 'thinking', 'maxTokens', 'betas', 'tools', 'deferredTools', 'system', 'messages'] as const),
];

function isField(name: string): name is keyof ProbedRequest {
  return FIELDS.some((field) => field === name);
}

const COMPARED: Readonly<Record<string, (field: Field, wanted: string | number) => boolean>> = {
  '==': (field, wanted) => field === wanted,
  '!=': (field, wanted) => field !== wanted,
  contains,
  lacks: (field, wanted) => !contains(field, wanted),
};

function contains(field: Field, wanted: string | number): boolean {
  return (typeof field === 'string' || Array.isArray(field)) && field.includes(String(wanted));
}

function literal(value: string, whole: string): string | number {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'string' || typeof parsed === 'number') return parsed;
  } catch {
    // The message below explains what is expected.
  }
  throw new RehearsalError('condition', `"${whole}": ${value} must be a text in double quotes or a number.`);
}
