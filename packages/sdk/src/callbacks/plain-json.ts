import { isJsonObject, type JsonObject } from '../wire/kinds.ts';

/**
 * Copies a value through JSON, so that the SDK sends exactly what it checked, whatever the value's getters return later.
 * `what` names it in the error. @throws TypeError when JSON cannot hold it
 */
export function plainJson(value: unknown, what: string): unknown {
  let problem = `JSON has no ${typeof value}`;
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return JSON.parse(text);
  } catch (error) {
    problem = error instanceof Error ? error.message : 'it cannot be converted to JSON';
  }
  throw new TypeError(`${what} cannot be sent: ${problem}`);
}

/** Copies an object through JSON. @throws TypeError when it is not an object, or JSON cannot hold it */
export function plainObject(value: unknown, what: string): JsonObject {
  const plain = isJsonObject(value) ? plainJson(value, what) : value;
  if (!isJsonObject(plain)) throw new TypeError(`${what} must be an object, not ${kindOf(plain)}`);
  return plain;
}

/** The kind of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
