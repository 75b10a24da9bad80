import { inspect } from 'node:util';

/**
 * What a value is compared with. An object matches a value that has at least its fields; a list, one with matching items
 * in the same order; a regular expression, a text; a function, what it returns true for; an asymmetric matcher of a test
 * runner (`expect.any(String)`), what that accepts; everything else, an equal value.
 */
export type Pattern = unknown;

/** A text to look for: a substring, a regular expression, a function, or an asymmetric matcher. */
export type TextPattern = string | RegExp | ((text: string) => boolean) | AsymmetricMatcher;

/** What test runners call an asymmetric matcher. */
export interface AsymmetricMatcher {
  asymmetricMatch(value: unknown): boolean;
}

/** Where a value does not match, one line each; empty when it matches. */
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

/** Whether a value matches. */
export function fits(pattern: Pattern, value: unknown): boolean {
  return differences(pattern, value).length === 0;
}

/** Whether a text matches; a string may occur anywhere in it. */
export function textFits(pattern: TextPattern, text: string): boolean {
  return typeof pattern === 'string' ? text.includes(pattern) : fits(pattern, text);
}

/** A pattern or a value on one line. */
export function show(value: unknown): string {
  if (isAsymmetric(value)) return nameOf(value);
  return inspect(value, { compact: true, breakLength: Number.POSITIVE_INFINITY, depth: 6, maxStringLength: 300 });
}

// Not `test`, which keeps its position when the expression has the flag `g`.
function found(pattern: RegExp, text: string): boolean {
  return text.search(pattern) !== -1;
}

function says(holds: boolean, pattern: Pattern, value: unknown, path: string): string[] {
  return holds ? [] : [`${path === '' ? '' : `${path}: `}expected ${show(pattern)}, was ${show(value)}`];
}

/** Whether a value is an asymmetric matcher of a test runner. */
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
