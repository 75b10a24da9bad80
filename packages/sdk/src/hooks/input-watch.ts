import { type Warning, warning } from '../warnings/warning.ts';
import type { JsonObject } from '../wire/kinds.ts';
import { type ExpectedFields, expectedFields } from './fields.ts';

/**
 * Notices fields of a hook's input that are missing or new, and says so once per event and field. The input is passed on
 * whatever it looks like: a renamed field must not switch a guard off.
 */
export class InputWatch {
  private readonly warn: (warning: Warning) => void;
  private readonly said = new Set<string>();
  /** Per event the fields as they came last, so that the usual input is recognised quickly. */
  private readonly usual = new Map<string, readonly string[]>();

  constructor(warn: (warning: Warning) => void) {
    this.warn = warn;
  }

  look(event: string, input: JsonObject): void {
    const usual = this.usual.get(event);
    if (usual !== undefined && hasFields(input, usual)) return;
    const expected = expectedFields(event);
    if (expected === undefined) return;
    this.usual.set(event, Object.keys(input));
    this.compare(event, input, expected);
  }

  private compare(event: string, input: JsonObject, expected: ExpectedFields): void {
    for (const [field, always] of Object.entries(expected)) {
      if (always && !Object.hasOwn(input, field)) this.say(event, field, 'missing');
    }
    for (const field of Object.keys(input)) if (!Object.hasOwn(expected, field)) this.say(event, field, 'new');
  }

  private say(event: string, field: string, change: 'missing' | 'new'): void {
    const key = `${event}.${field}`;
    if (this.said.has(key)) return;
    this.said.add(key);
    const message =
      change === 'missing'
        ? `The CLI sent a ${event} hook without ${field}. The hook runs all the same; check that it does not need it.`
        : `The CLI sent a ${event} hook with ${field}, which these types do not know. The hook gets it.`;
    this.warn(warning('hook-input-changed', message, { event, field, change }));
  }
}

function hasFields(input: JsonObject, fields: readonly string[]): boolean {
  let index = 0;
  for (const field in input) {
    if (fields[index] !== field) return false;
    index += 1;
  }
  return index === fields.length;
}
