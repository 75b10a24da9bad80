import { isObject } from '@coxswain/shared/is-object';
import { unknownName } from '@coxswain/shared/unknown-name';
import type { ToolInputs } from 'coxswain';
import { OptionsError } from 'coxswain/errors';
import type { Call, ToolName } from './call.ts';
import { isAsymmetric, type Pattern } from './pattern.ts';

/**
 * Refuses a field that the input of this tool never has, such as a misspelt one: the pattern could never match, and its negation
 * would always pass. A field that a call has is right, because releases add fields. @throws OptionsError
 */
export function checkInputFields(name: ToolName, input: Pattern, calls: readonly Call[]): void {
  if (typeof name !== 'string' || !isObject(input) || isAsymmetric(input)) return;
  const [symbol] = Object.getOwnPropertySymbols(input);
  if (symbol !== undefined)
    throw new OptionsError([{ path: 'input', message: `has the field ${String(symbol)}, which no input has.` }]);
  const known: readonly string[] | undefined = Object.hasOwn(FIELDS, name) ? FIELDS[name as KnownTool] : undefined;
  if (known === undefined) return;
  const seen = calls.flatMap((call) => (call.name === name && isObject(call.input) ? Object.keys(call.input) : []));
  const wrong = Object.keys(input).find((field) => !known.includes(field) && !seen.includes(field));
  if (wrong === undefined) return;
  throw new OptionsError([
    { path: `input.${wrong.slice(0, 80)}`, message: unknownName(`field of ${name}`, wrong, known) },
  ]);
}

type FieldsOf<Name extends keyof ToolInputs> = { readonly [N in Name]: readonly (keyof ToolInputs[N] & string)[] };

type KnownTool = keyof typeof FIELDS;

/** The fields of the inputs of tools whose inputs are simple objects. */
const FIELDS = {
  Bash: ['command', 'description', 'timeout', 'run_in_background', 'dangerouslyDisableSandbox'],
  Edit: ['file_path', 'old_string', 'new_string', 'replace_all'],
  Read: ['file_path', 'offset', 'limit', 'pages', 'allow_large'],
  WebFetch: ['url', 'prompt'],
  Write: ['file_path', 'content'],
} as const satisfies FieldsOf<'Bash' | 'Edit' | 'Read' | 'WebFetch' | 'Write'>;
