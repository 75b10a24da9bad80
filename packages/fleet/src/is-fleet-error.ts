import { isCoxswainError } from 'coxswain';
import * as errors from './errors.ts';

/** Every error of this package: switching on `code` narrows to the fields of each. */
export type FleetError = ClassesOf<typeof errors>;

/**
 * True for an error of this package, even if another copy of the package created it. With a `code`, true only for the error with
 * that code, and narrows to its fields.
 */
export function isFleetError(value: unknown): value is FleetError;
export function isFleetError<C extends FleetError['code']>(
  value: unknown,
  code: C,
): value is Extract<FleetError, { readonly code: C }>;
export function isFleetError(value: unknown, code?: string): boolean {
  return isCoxswainError(value) && NAMES.has(value.name) && (code === undefined || Reflect.get(value, 'code') === code);
}

/** The names of the errors: those of their classes. */
const NAMES: ReadonlySet<string> = new Set(Object.keys(errors));

type ClassesOf<M> = { [K in keyof M]: M[K] extends abstract new (...args: never) => infer E ? E : never }[keyof M];
