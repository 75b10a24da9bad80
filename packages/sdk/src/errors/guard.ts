import { isBranded } from './base.ts';
import type * as control from './control.ts';
import type * as decode from './decode.ts';
import type * as options from './options.ts';
import type * as pool from './pool.ts';
import type * as result from './result.ts';
import type * as start from './start.ts';
import type * as stream from './stream.ts';
import type * as supervise from './supervise.ts';
import type * as tool from './tool.ts';
import type * as transcript from './transcript.ts';
import type * as turn from './turn.ts';

type ClassesOf<M> = { [K in keyof M]: M[K] extends abstract new (...args: never) => infer E ? E : never }[keyof M];

/** Every error of this library: switching on `code` gives each one's fields. */
export type AnyCoxswainError =
  | ClassesOf<typeof control>
  | ClassesOf<typeof decode>
  | ClassesOf<typeof options>
  | ClassesOf<typeof pool>
  | ClassesOf<typeof result>
  | ClassesOf<typeof start>
  | ClassesOf<typeof stream>
  | ClassesOf<typeof supervise>
  | ClassesOf<typeof tool>
  | ClassesOf<typeof transcript>
  | ClassesOf<typeof turn>;

/** The codes of all errors of this library. */
export type ErrorCode = AnyCoxswainError['code'];

/**
 * True for an error of this library, also when it comes from another copy of the package. With a `code`, only for the
 * error with that code, narrowed to its own fields.
 */
export function isCoxswainError(value: unknown): value is AnyCoxswainError;
export function isCoxswainError<C extends ErrorCode>(
  value: unknown,
  code: C,
): value is Extract<AnyCoxswainError, { readonly code: C }>;
export function isCoxswainError(value: unknown, code?: string): boolean {
  return isBranded(value) && (code === undefined || value.code === code);
}
