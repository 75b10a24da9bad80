import { isObject } from '@coxswain/shared/is-object';
import { FleetInputError } from '../errors.ts';
import { problemOfName, problemOfText } from './input.ts';

/** What lists can filter turns by: names and values, each a text. */
export type Attributes = Readonly<Record<string, string>>;

const MAX_ATTRIBUTES = 16;
const MAX_NAME_BYTES = 100;

/** The problem with attributes, if any. It quotes no value. */
export function problemOfAttributes(given: unknown): string | undefined {
  if (!isObject(given)) return 'must be an object of texts.';
  const entries = Object.entries(given);
  if (entries.length > MAX_ATTRIBUTES) return `must not have more than ${MAX_ATTRIBUTES} names.`;
  for (const [name, value] of entries) {
    if (problemOfName(name) !== undefined || Buffer.byteLength(name) > MAX_NAME_BYTES)
      return `must have names of 1 to ${MAX_NAME_BYTES} bytes, without NUL characters or unpaired surrogates.`;
    const problem = problemOfText(value);
    if (problem !== undefined) return `must have texts as values; one ${problem}`;
  }
  return undefined;
}

/** Checks attributes to filter by; returns them as JSON. Null selects all. @throws FleetInputError */
export function checkedAttributes(value: unknown): string | null {
  if (value === undefined) return null;
  const problem = problemOfAttributes(value);
  if (problem !== undefined) throw new FleetInputError('attributes', problem);
  return attributesJson(value);
}

/** Checked attributes as JSON. */
export function attributesJson(attributes: unknown): string {
  // Without what a class may add.
  return JSON.stringify({ ...(attributes as Attributes) });
}
