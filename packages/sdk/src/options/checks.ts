import { suggest, unknownName } from '@coxswain/shared/unknown-name';
import { reasonOf } from '../errors/base.ts';
import type { Report } from '../errors/options.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { inheritsFields, isPlain } from '../wire/plain-object.ts';

/** Checks a value, reports its problems, and returns the copy to use from then on. */
export type Check = (value: unknown, path: string, report: Report) => unknown;

/** A string without NUL, which neither argv nor the environment can contain; empty only if `empty` is set. */
export function text(rule: { empty?: boolean; pattern?: RegExp; what?: string } = {}): Check {
  const what = rule.what ?? 'a string';
  return (value, path, report) => {
    if (typeof value !== 'string' || (value === '' && !rule.empty)) return wrong(value, path, report, what);
    if (value.includes('\0')) return void report(path, 'must not contain a NUL character.');
    if (rule.pattern && !rule.pattern.test(value)) return void report(path, `must be ${what}.`);
    return value;
  };
}

/** Applies the first check to values that `fits` accepts, and the second to all others. */
export function either(fits: (value: unknown) => boolean, first: Check, second: Check): Check {
  return (value, path, report) => (fits(value) ? first : second)(value, path, report);
}

/** Reports the problem for values that `fits` accepts, and checks all others. */
export function refusing(fits: (value: unknown) => boolean, problem: string, check: Check): Check {
  return either(fits, (_, path, report) => void report(path, problem), check);
}

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

export const positive: Check = (value, path, report) =>
  typeof value === 'number' && Number.isFinite(value) && value > 0
    ? value
    : wrong(value, path, report, 'a number above 0');

export function oneOf(...words: readonly string[]): Check {
  const what = `one of ${words.map((word) => `'${word}'`).join(', ')}`;
  return (value, path, report) => {
    if (typeof value !== 'string') return wrong(value, path, report, what);
    return words.includes(value) ? value : void report(path, `must be ${what}.`);
  };
}

/** A known word, or an unknown one, which a newer CLI may accept, unless it looks like a misspelling of a known one. */
export function openWord(...known: readonly string[]): Check {
  const any = text();
  return (value, path, report) => {
    const meant = typeof value === 'string' && !known.includes(value) ? suggest(value, known) : undefined;
    return meant === undefined ? any(value, path, report) : void report(path, `is unknown. Did you mean '${meant}'?`);
  };
}

/** A function. */
export const callback: Check = (value, path, report) =>
  typeof value === 'function' ? value : wrong(value, path, report, 'a function');

/** An object with the given methods, which is not copied. */
export function having(what: string, ...methods: readonly string[]): Check {
  return (value, path, report) => {
    if (typeof value !== 'object' || value === null) return wrong(value, path, report, what);
    const missing = methods.filter((name) => typeof Reflect.get(value, name) !== 'function');
    if (missing.length > 0) return void report(path, `must be ${what}; it has no ${missing.join('(), ')}().`);
    return value;
  };
}

/** A list of items that pass the check; invalid ones are reported and left out. */
export function list(item: Check): Check {
  return (value, path, report) => {
    if (!Array.isArray(value)) return wrong(value, path, report, 'an array');
    const checked = Array.from(value, (entry, index) => item(entry, at(path, index), report));
    return Object.freeze(checked.filter((good) => good !== undefined));
  };
}

/** An object with any keys. Invalid values are reported and left out, as are `undefined` ones unless `keepUndefined` is set. */
export function record(item: Check, rule: { key?: Check; keepUndefined?: boolean } = {}): Check {
  return (value, path, report) => {
    const given = plainFields(value, path, report);
    if (!given) return undefined;
    const checked: [string, unknown][] = [];
    for (const [key, entry] of given) {
      if (entry === undefined && !rule.keepUndefined) continue;
      rule.key?.(key, at(path, key), report);
      const good = entry === undefined ? undefined : item(entry, at(path, key), report);
      if (good !== undefined || entry === undefined) checked.push([key, good]);
    }
    return Object.freeze(Object.fromEntries(checked));
  };
}

/** An object with known fields. An `open` one may have other fields, unless they look like a misspelling of a known one. */
export function shape(
  fields: Readonly<Record<string, Check>>,
  rule: { needs?: readonly string[]; open?: true } = {},
): Check {
  const known = Object.keys(fields);
  return (value, path, report) => {
    const given = plainFields(value, path, report);
    if (!given) return undefined;
    const checked: [string, unknown][] = [];
    for (const [key, entry] of given) {
      if (entry === undefined) continue;
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check) checked.push([key, check(entry, at(path, key), report)]);
      else if (rule.open && !suggest(key, known)) checked.push([key, plainData(entry, at(path, key), report)]);
      else report(at(path, key), unknownName('field', key, known));
    }
    const present = new Set(checked.map(([key]) => key));
    for (const name of rule.needs ?? []) if (!present.has(name)) report(at(path, name), 'is missing.');
    return Object.freeze(Object.fromEntries(checked.filter(([, good]) => good !== undefined)));
  };
}

/** An object of any plain data. */
export const jsonObject: Check = (value, path, report) =>
  isJsonObject(value) ? plainData(value, path, report, 0, losesFields) : wrong(value, path, report, 'an object');

/** The fields of a plain object; `undefined` for anything else, which is reported. */
export function plainFields(value: unknown, path: string, report: Report): [string, unknown][] | undefined {
  if (!isJsonObject(value)) return wrong(value, path, report, 'an object');
  return isPlain(value) ? Object.entries(value) : void report(path, NOT_PLAIN);
}

/** The problem with an object that cannot be copied without loss. */
export const NOT_PLAIN =
  'must be a plain object: this one inherits or hides fields, or has symbols for names, which would be lost. Pass a copy with all fields, { ...fields }.';

/** Reports that a value is not what it must be. */
export function wrong(value: unknown, path: string, report: Report, what: string): undefined {
  report(path, `must be ${what}, not ${kindOf(value)}.`);
  return undefined;
}

/** Returns what `read` returns, and reports what it throws: reading the caller's value may run the caller's code. */
export function readable<T>(path: string, report: Report, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return void report(path, `could not be read: ${reasonOf(error)}`);
  }
}

/** The path of a field or an item, as the caller would write it. */
export function at(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return /^[\w$-]{1,80}$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key.slice(0, 80))}]`;
}

/** The kind of a value, without the value itself, which may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isFinite(value) ? `the number ${value}` : String(value);
  if (value === '') return 'an empty string';
  return typeof value === 'object' ? 'an object' : typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`;
}

const MAX_DEPTH = 200;

/**
 * Copies a value as JSON would write it, so that the checked value is the one that is used, even with getters and
 * proxies. Reports anything that JSON would silently drop or change; leaves out `undefined` fields of objects.
 * @throws whatever reading the value throws, and RangeError for a value that is nested too deeply
 */
export function plainData(
  value: unknown,
  path: string,
  report: Report,
  depth = 0,
  loses: (value: object) => boolean = inheritsFields,
): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') return wrong(value, path, report, 'plain data that JSON can hold');
  // Thrown, not reported: continuing would take forever in a value that branches at every level.
  if (depth > MAX_DEPTH) throw new RangeError('it is nested too deeply, or contains itself.');
  const copy = (item: unknown, key: string | number): unknown =>
    plainData(item, at(path, key), report, depth + 1, loses);
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return plainData(value.toJSON(), path, report, depth + 1, loses);
  if (Array.isArray(value)) return Object.freeze(value.map(copy));
  // Hidden fields are not data: the JSON Schemas of some libraries carry their schema in one.
  if (loses(value)) return void report(path, NOT_PLAIN);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.freeze(Object.fromEntries(fields.map(([key, field]) => [key, copy(field, key)])));
}

/** True for data of which a copy as JSON has fewer fields. JSON Schemas may have symbols, which are not part of the schema. */
function losesFields(value: object): boolean {
  return inheritsFields(value) || Object.getOwnPropertySymbols(value).length > 0;
}

/** A copy of data at the time of the call, so that the caller can change the original. */
export function snapshot<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    // Not plain data: the check that reads it refuses it.
    return value;
  }
}
