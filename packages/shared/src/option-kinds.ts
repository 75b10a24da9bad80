import { isObject } from './is-object.ts';
import { unknownName } from './unknown-name.ts';

/** The check of an option's value, its wording in messages, and the options in it. */
export interface Kind {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
  readonly within?: Readonly<Record<string, Kind>>;
}

/** A kind for each field of an object. */
export type KindsOf<T extends object> = Readonly<Record<keyof T, Kind>>;

/** One entry of an `OptionsError`. */
export interface OptionProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * The unknown options, each with a similar known one if any, and those of the wrong kind. `before` precedes their
 * names; `noun` is what one of them is called.
 */
export function problemsIn(
  options: object,
  kinds: Readonly<Record<string, Kind>>,
  { before = '', noun = 'option' }: { readonly before?: string; readonly noun?: string } = {},
): OptionProblem[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    const path = `${before}${name}`;
    if (kind === undefined) return [{ path, message: unknownName(noun, name, Object.keys(kinds)) }];
    if (value === undefined) return [];
    if (!kind.is(value)) return [{ path, message: `must be ${kind.what}.` }];
    return kind.within !== undefined && isObject(value)
      ? problemsIn(value, kind.within, { before: `${path}.`, noun })
      : [];
  });
}

export const TEXT: Kind = { is: (value) => typeof value === 'string', what: 'a string' };
export const NAME: Kind = {
  is: (value) => typeof value === 'string' && value !== '',
  what: 'a string that is not empty',
};
export const TEXTS: Kind = { is: (value) => Array.isArray(value) && value.every(TEXT.is), what: 'an array of strings' };
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
