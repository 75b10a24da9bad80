import { shortName, WarnedOnce } from '../warnings/warned-once.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { JsonObject } from '../wire/kinds.ts';
import { expectedFields } from './abilities.ts';

/**
 * Warns about missing and new fields in hook inputs, once per event and field. The hook receives the input unchanged: a
 * renamed field must not disable a guard.
 */
export class InputDrift {
  readonly #warn: (warning: Warning) => void;
  readonly #warned = new WarnedOnce();
  /** The fields of the last input of each event. */
  readonly #checked = new Map<string, string>();

  constructor(warn: (warning: Warning) => void) {
    this.#warn = warn;
  }

  check(event: string, input: JsonObject): void {
    const expected = expectedFields(event);
    if (expected === undefined) return;
    const fields = Object.keys(input);
    // Most inputs of an event have the same fields.
    const shape = fields.join();
    if (this.#checked.get(event) === shape) return;
    this.#checked.set(event, shape);
    for (const field of expected.required) if (!Object.hasOwn(input, field)) this.#report(event, field, 'missing');
    for (const field of fields) if (!expected.all.has(field)) this.#report(event, field, 'new');
  }

  #report(event: string, name: string, change: 'missing' | 'new'): void {
    const field = shortName(name);
    if (!this.#warned.isNew(`${event}.${field}`)) return;
    const message =
      change === 'missing'
        ? `The CLI sent a ${event} hook without ${field}. The hook still runs; check that it does not need the field.`
        : `The CLI sent a ${event} hook with the unknown field ${field}. The hook gets it.`;
    this.#warn(warning('hook-input-changed', message, { event, field, change }));
  }
}
