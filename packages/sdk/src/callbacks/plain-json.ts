import { isJsonObject, type JsonObject } from '../wire/kinds.ts';

/** A copy that JSON made, or why JSON cannot hold the value. */
export type PlainJson<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** Copies a value through JSON, so that the SDK sends exactly what it checked, whatever the value's getters return later. */
export function plainJson(value: unknown): PlainJson {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) return { ok: false, problem: `JSON has no ${typeof value}` };
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'it cannot be converted to JSON' };
  }
}

/** Copies an object through JSON. `what` names it in the problem. */
export function plainObject(value: unknown, what: string): PlainJson<JsonObject> {
  const plain = isJsonObject(value) ? plainJson(value) : { ok: true as const, value };
  if (!plain.ok) return { ok: false, problem: `${what} cannot be sent: ${plain.problem}` };
  if (!isJsonObject(plain.value))
    return { ok: false, problem: `${what} must be an object, not ${kindOf(plain.value)}` };
  return { ok: true, value: plain.value };
}

/** The kind of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
