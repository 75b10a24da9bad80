import { OptionsError, unknownName } from 'coxswain/errors';

/** The type of a field, and its description. */
export interface Kind {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
}

/** A kind for each field of an object. */
export type KindsOf<T extends object> = Readonly<Record<keyof T, Kind>>;

/**
 * Checks an object written by a user. `where` is the caller's notation: `recording()`.
 * @throws OptionsError for unknown fields, with a suggestion, and for fields of the wrong kind
 */
export function checkOptions<T extends object>(where: string, options: T, kinds: KindsOf<Required<T>>): void {
  if (!isObject(options)) throw new OptionsError([{ path: where, message: 'must be given an object.' }]);
  const known: Readonly<Record<string, Kind>> = kinds;
  const problems = Object.entries(options).flatMap(([name, value]) => {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    const path = `${where}.${name}`;
    if (kind === undefined) return [{ path, message: unknownName('field', name, Object.keys(known)) }];
    return value === undefined || kind.is(value) ? [] : [{ path, message: `must be ${kind.what}.` }];
  });
  if (problems.length > 0) throw new OptionsError(problems);
}

/** Checks one argument. @throws OptionsError */
export function checkArgument(path: string, value: unknown, { is, what }: Kind): void {
  if (!is(value)) throw new OptionsError([{ path, message: `must be ${what}.` }]);
}

export const TEXT: Kind = { is: (value) => typeof value === 'string', what: 'a string' };
export const NAME: Kind = {
  is: (value) => typeof value === 'string' && value !== '',
  what: 'a string that is not empty',
};
export const FLAG: Kind = { is: (value) => typeof value === 'boolean', what: 'true or false' };
export const CALLBACK: Kind = { is: (value) => typeof value === 'function', what: 'a function' };
export const OBJECT: Kind = { is: isObject, what: 'an object' };
export const ANYTHING: Kind = { is: () => true, what: 'anything' };
/** A number from 0, such as milliseconds; includes Infinity. */
export const AMOUNT: Kind = { is: (value) => typeof value === 'number' && value >= 0, what: 'a number from 0' };
export const COUNT: Kind = {
  is: (value) => Number.isInteger(value) && Number(value) >= 1,
  what: 'a whole number from 1',
};
export const TEXTS: Kind = { is: (value) => Array.isArray(value) && value.every(TEXT.is), what: 'an array of strings' };

export function oneOf(...values: readonly string[]): Kind {
  return { is: (value) => values.some((one) => one === value), what: values.map((one) => `'${one}'`).join(' or ') };
}

/** A list of some of these words. */
export function listOf(...values: readonly string[]): Kind {
  const one = oneOf(...values);
  return { is: (value) => Array.isArray(value) && value.every(one.is), what: `an array of ${one.what}` };
}

/** One of several kinds. */
export function either(...kinds: readonly Kind[]): Kind {
  return { is: (value) => kinds.some(({ is }) => is(value)), what: kinds.map(({ what }) => what).join(' or ') };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
