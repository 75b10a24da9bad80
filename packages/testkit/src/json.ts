import { isObject } from '@coxswain/shared/is-object';

/** Any value that survives JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** A message, or a part of one, as JSON. */
export function asJson(part: object): JsonObject {
  // The types of messages describe JSON; an interface only lacks the index signature.
  return part as JsonObject;
}

/** A JSON object, or undefined. */
export function objectOf(value: unknown): JsonObject | undefined {
  // A parsed JSON value that is an object and not an array is a JsonObject.
  return isObject(value) ? (value as JsonObject) : undefined;
}

/** The objects in a JSON array. */
export function objectsIn(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.map(objectOf).filter((item) => item !== undefined);
}

/** The texts in a JSON array. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
