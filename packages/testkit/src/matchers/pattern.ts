import { inspect } from 'node:util';

/**
 * The expected value. An object matches a value with at least its fields; a list, a list with matching items in the same
 * order; a regular expression, a text; a function, the values for which it returns true; an asymmetric matcher of a test
 * runner (`expect.any(String)`), the values that it accepts; anything else, an equal value.
 */
export type Pattern = unknown;

/** A text to find: a substring, a regular expression, a function, or an asymmetric matcher. */
export type TextPattern = string | RegExp | ((text: string) => boolean) | AsymmetricMatcher;

/** The interface of a test runner's asymmetric matcher. */
export interface AsymmetricMatcher {
  asymmetricMatch(value: unknown): boolean;
}

/** The differences between a pattern and a value, one line each; empty if it matches. */
export function differences(pattern: Pattern, value: unknown, path = ''): string[] {
  if (isAsymmetric(pattern)) return says(pattern.asymmetricMatch(value), pattern, value, path);
  if (pattern instanceof RegExp) return says(typeof value === 'string' && found(pattern, value), pattern, value, path);
  if (typeof pattern === 'function') return says(pattern(value) === true, pattern, value, path);
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length) return says(false, pattern, value, path);
    return pattern.flatMap((item, index) => differences(item, value[index], `${path}[${index}]`));
  }
  if (!isObject(pattern)) return says(Object.is(pattern, value), pattern, value, path);
  if (!isObject(value)) return says(false, pattern, value, path);
  return Object.entries(pattern).flatMap(([key, wanted]) =>
    differences(wanted, value[key], path === '' ? key : `${path}.${key}`),
  );
}

/** True if a value matches. */
export function fits(pattern: Pattern, value: unknown): boolean {
  return differences(pattern, value).length === 0;
}

/** True if a text matches; a string may occur anywhere in it. */
export function textFits(pattern: TextPattern, text: string): boolean {
  return typeof pattern === 'string' ? text.includes(pattern) : fits(pattern, text);
}

/** Formats a pattern or a value on one line. */
export function show(value: unknown): string {
  if (isAsymmetric(value)) return nameOf(value);
  return inspect(value, { compact: true, breakLength: Number.POSITIVE_INFINITY, depth: 6, maxStringLength: 300 });
}

// Not `test`, which keeps its position if the expression has the flag `g`.
function found(pattern: RegExp, text: string): boolean {
  return text.search(pattern) !== -1;
}

function says(holds: boolean, pattern: Pattern, value: unknown, path: string): string[] {
  return holds ? [] : [`${path === '' ? '' : `${path}: `}expected ${show(pattern)}, was ${show(value)}`];
}

/** True for an asymmetric matcher of a test runner. */
export function isAsymmetric(value: unknown): value is AsymmetricMatcher {
  return isObject(value) && typeof value.asymmetricMatch === 'function';
}

function nameOf(matcher: AsymmetricMatcher): string {
  return 'toAsymmetricMatcher' in matcher && typeof matcher.toAsymmetricMatcher === 'function'
    ? String(matcher.toAsymmetricMatcher())
    : 'an asymmetric matcher';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
