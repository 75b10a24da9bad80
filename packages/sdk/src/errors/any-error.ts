import { hasBrand } from './base.ts';
import type * as errors from './index.ts';

/** Any error of this library. Switch on `code` to narrow to the fields of one class. */
export type AnyCoxswainError = ClassesOf<typeof errors>;

/** The codes of all errors of this library. */
export type ErrorCode = AnyCoxswainError['code'];

/**
 * True for an error of this library, including one from another copy of the package. With a `code`, true only for an
 * error with that code, which narrows to its own fields.
 */
export function isCoxswainError(value: unknown): value is AnyCoxswainError;
export function isCoxswainError<C extends ErrorCode>(
  value: unknown,
  code: C,
): value is Extract<AnyCoxswainError, { readonly code: C }>;
export function isCoxswainError(value: unknown, code?: string): boolean {
  return hasBrand(value) && (code === undefined || value.code === code);
}

type ClassesOf<M> = { [K in keyof M]: M[K] extends abstract new (...args: never) => infer E ? E : never }[keyof M];
