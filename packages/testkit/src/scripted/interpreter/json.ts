import type { JsonObject } from '../script-data.ts';

/** A JSON object, or undefined. */
export function objectOf(value: unknown): JsonObject | undefined {
  // A parsed JSON value that is an object other than an array is a JsonObject.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The objects in a JSON array. */
export function objectsIn(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.map(objectOf).filter((item) => item !== undefined);
}
