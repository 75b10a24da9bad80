import { plainData } from './plain-data.ts';
import { at, kindOf, type Report } from './report.ts';
import { suggest } from './suggest.ts';

/** Looks at a value, reports what is wrong with it, and returns the copy that is used from then on. */
export type Check = (value: unknown, path: string, report: Report) => unknown;

/** A string without NUL, which neither argv nor the environment can carry; empty only if `empty` says so. */
export function text(rule: { empty?: boolean; pattern?: RegExp; what?: string } = {}): Check {
  const what = rule.what ?? 'a string';
  return (value, path, report) => {
    if (typeof value !== 'string') return wrong(value, path, report, what);
    if (value === '' && !rule.empty) return wrong(value, path, report, what);
    if (value.includes('\0')) return void report(path, 'must not contain a NUL character.');
    if (rule.pattern && !rule.pattern.test(value)) return void report(path, `must be ${what}.`);
    return value;
  };
}

/** True or false. */
export const flag: Check = (value, path, report) =>
  typeof value === 'boolean' ? value : wrong(value, path, report, 'true or false');

/** A whole number from `least` to `most`. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): Check {
  const upTo = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return (value, path, report) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? value
      : wrong(value, path, report, `a whole number ${upTo}`);
}

/** A number above 0. */
export const positive: Check = (value, path, report) =>
  typeof value === 'number' && Number.isFinite(value) && value > 0
    ? value
    : wrong(value, path, report, 'a number above 0');

/** One of some words. */
export function oneOf(...words: readonly string[]): Check {
  return (value, path, report) =>
    typeof value === 'string' && words.includes(value)
      ? value
      : wrong(value, path, report, `one of ${words.map((word) => `'${word}'`).join(', ')}`);
}

/** A function. */
export const callback: Check = (value, path, report) =>
  typeof value === 'function' ? value : wrong(value, path, report, 'a function');

/** An object with some methods, kept as it is. */
export function having(what: string, ...methods: readonly string[]): Check {
  return (value, path, report) => {
    if (typeof value !== 'object' || value === null) return wrong(value, path, report, what);
    const missing = methods.filter((name) => typeof Reflect.get(value, name) !== 'function');
    if (missing.length > 0) return void report(path, `must be ${what}; it has no ${missing.join('(), ')}().`);
    return value;
  };
}

/** A list of such items; bad ones are reported and left out. */
export function list(item: Check): Check {
  return (value, path, report) =>
    Array.isArray(value)
      ? Array.from(value, (entry, index) => item(entry, at(path, index), report)).filter((good) => good !== undefined)
      : wrong(value, path, report, 'an array');
}

/** An object with any names and such values; bad ones are reported and left out, and `undefined` ones unless kept. */
export function record(item: Check, rule: { key?: Check; keepUndefined?: boolean } = {}): Check {
  return (value, path, report) => {
    if (!isObject(value)) return wrong(value, path, report, 'an object');
    const checked: [string, unknown][] = [];
    for (const [key, entry] of Object.entries(value)) {
      if (entry === undefined && !rule.keepUndefined) continue;
      rule.key?.(key, at(path, key), report);
      const good = entry === undefined ? undefined : item(entry, at(path, key), report);
      if (good !== undefined || entry === undefined) checked.push([key, good]);
    }
    return Object.fromEntries(checked);
  };
}

/** An object with known fields. In an `open` one other fields pass, unless they look like a slip of a known one. */
export function shape(
  fields: Readonly<Record<string, Check>>,
  rule: { needs?: readonly string[]; open?: true } = {},
): Check {
  const known = Object.keys(fields);
  return (value, path, report) => {
    if (!isObject(value)) return wrong(value, path, report, 'an object');
    const checked: [string, unknown][] = [];
    for (const [key, entry] of Object.entries(value)) {
      if (entry === undefined) continue;
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      const meant = check ? undefined : suggest(key, known);
      if (check) checked.push([key, check(entry, at(path, key), report)]);
      else if (rule.open && !meant) checked.push([key, plainData(entry, at(path, key), report)]);
      else report(at(path, key), unknownName('field', meant, known));
    }
    const given = new Set(checked.map(([key]) => key));
    for (const name of rule.needs ?? []) if (!given.has(name)) report(at(path, name), 'is missing.');
    return Object.fromEntries(checked.filter(([, good]) => good !== undefined));
  };
}

/** An object of plain data, whatever is in it. */
export const jsonObject: Check = (value, path, report) =>
  isObject(value) ? plainData(value, path, report) : wrong(value, path, report, 'an object');

/** True for an object that is no array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is said of a name nobody knows. */
export function unknownName(kind: string, meant: string | undefined, known: readonly string[]): string {
  if (meant !== undefined) return `is not a known ${kind}. Did you mean ${meant}?`;
  return known.length > 12 ? `is not a known ${kind}.` : `is not a known ${kind}; there are ${known.join(', ')}.`;
}

/** Reports that a value is not what it must be. */
export function wrong(value: unknown, path: string, report: Report, what: string): undefined {
  report(path, `must be ${what}, not ${kindOf(value)}.`);
  return undefined;
}
