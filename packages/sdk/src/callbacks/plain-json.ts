import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { isPlain } from '../wire/plain-object.ts';

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

/** Copies an object through JSON. @throws TypeError when it is not an object, or JSON cannot hold all of its fields */
export function plainObject(value: unknown, what: string): JsonObject {
  if (isJsonObject(value) && typeof value.toJSON !== 'function' && !isPlain(value)) {
    throw new TypeError(`${what} must be a plain object: JSON would leave out what it inherits, hides or computes`);
  }
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

/**
 * Copies the input with which an allowed call runs.
 * @throws TypeError if only the new input is empty: the CLI would ignore it and run the original input
 */
export function replacingInput(updated: unknown, original: unknown): JsonObject {
  const plain = plainObject(updated, 'updatedInput');
  if (Object.keys(plain).length === 0 && isJsonObject(original) && Object.keys(original).length > 0) {
    throw new TypeError('updatedInput is empty, so the CLI would run the original input instead');
  }
  return plain;
}

/**
 * Refuses `updatedInput: undefined`: a callback that sets the field does not intend to run the original input.
 * @throws TypeError
 */
export function refuseMissingInput(allow: JsonObject): void {
  if (Object.hasOwn(allow, 'updatedInput') && allow.updatedInput === undefined)
    throw new TypeError('updatedInput is undefined: leave the field out to run the original input');
}
