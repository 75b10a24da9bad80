import { kindOf } from '../options/checks.ts';

/**
 * The list that a method of a store returned. Stores are the application's code: what they return is not always what the
 * type says. @throws TypeError
 */
export function listIn<T>(
  found: unknown,
  isWanted: (value: unknown) => value is T,
  { method, wanted }: { readonly method: string; readonly wanted: string },
): readonly T[] {
  if (!Array.isArray(found)) throw unwanted(method, kindOf(found), wanted);
  const odd = found.findIndex((value) => !isWanted(value));
  if (odd >= 0) throw unwanted(method, `a list with ${kindOf(found[odd])} in it`, wanted);
  return found;
}

/** The error for something else than the type of a store allows. */
export function unwanted(method: string, found: string, wanted: string): TypeError {
  return new TypeError(`its ${method} returned ${found} instead of ${wanted}`);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}
