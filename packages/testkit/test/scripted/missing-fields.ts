import type { JsonValue } from '../../src/json.ts';

/** The paths of fields the recorded frame has and ours lacks, or has with another type of value. */
export function missingFields(recorded: JsonValue | undefined, ours: JsonValue | undefined, path: string): string[] {
  if (recorded === undefined || recorded === null || ours === null) return ours === undefined ? [path] : [];
  if (typeOf(recorded) !== typeOf(ours)) return [path];
  if (Array.isArray(recorded) && Array.isArray(ours)) {
    // Lists differ in length; their first items stand for all.
    return recorded.length > 0 && ours.length > 0 ? missingFields(recorded[0], ours[0], `${path}[]`) : [];
  }
  if (typeof recorded !== 'object') return [];
  return Object.entries(recorded).flatMap(([key, value]) =>
    missingFields(value, (ours as Record<string, JsonValue | undefined>)[key], `${path}.${key}`),
  );
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
