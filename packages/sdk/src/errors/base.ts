import type * as errors from './index.ts';

const BRAND = Symbol.for('coxswain.error');

/** The codes of the errors that affect one line only. */
const NON_TERMINAL: ReadonlySet<string> = new Set(['utf8-decode', 'json-decode', 'unexpected-message']);

/** The base class of all errors of this library. `code` is stable: switch on it, never on the message. */
export abstract class CoxswainError<Code extends string = string> extends Error {
  readonly code: Code;

  /** `fields` become properties of the error. */
  protected constructor(name: string, message: string, { cause, ...fields }: ErrorFields = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.defineProperty(this, 'name', { value: name, configurable: true });
    Object.defineProperty(this, BRAND, { value: true });
    // A test compares the code that each class declares with the one its name yields.
    this.code = codeOf(name) as Code;
    Object.assign(this, fields);
  }

  /** Name, code, message, all own fields and the cause, as plain JSON. */
  toJSON(): Record<string, unknown> {
    const json: Record<string, unknown> = { name: this.name, code: this.code, message: this.message };
    for (const [key, value] of Object.entries(this)) json[key] = plain(value);
    if (this.cause !== undefined) json.cause = plain(this.cause);
    return json;
  }
}

/** Every error of this library: switching on `code` narrows to the fields of each. */
export type AnyCoxswainError = ClassesOf<typeof errors>;

/** The codes of all errors of this library. */
export type ErrorCode = AnyCoxswainError['code'];

/**
 * True for an error of this library, even if it comes from another copy of the package. With a `code`, true only for the
 * error with that code, which narrows to its own fields.
 */
export function isCoxswainError(value: unknown): value is AnyCoxswainError;
export function isCoxswainError<C extends ErrorCode>(
  value: unknown,
  code: C,
): value is Extract<AnyCoxswainError, { readonly code: C }>;
export function isCoxswainError(value: unknown, code?: string): boolean {
  return value instanceof Error && BRAND in value && (code === undefined || Reflect.get(value, 'code') === code);
}

/**
 * For the errors of streams: false for an error item that does not end its stream, as for a line that cannot be decoded;
 * true for every other error, including those that only fail a single call.
 */
export function isTerminal(error: unknown): boolean {
  return !(isCoxswainError(error) && NON_TERMINAL.has(error.code));
}

/** `ControlTimeoutError` → `control-timeout`. */
export function codeOf(name: string): string {
  return name
    .replace(/Error$/, '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase();
}

/** The message of a caught value of any kind. Never throws. */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'it threw a value that cannot be shown';
  }
}

/** A caught value of any kind as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(reasonOf(thrown));
}

/** The code that the operating system or Node gave an error: `ENOENT`; empty if there is none. */
export function systemCodeOf(thrown: unknown): string {
  try {
    return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  } catch {
    return '';
  }
}

/** Why the CLI refused something, in its own words, without the full stop at their end. */
export function refusalReason(said: string): string {
  return said.replace(/\.$/, '') || 'it gave no reason';
}

/** The end of what a failed CLI wrote, as a sentence of a message. */
export function itSaid(text: string): string {
  const words = text.trim();
  if (words === '') return '';
  const end = words.length > 600 ? `…${words.slice(-600)}` : words;
  return ` It said: ${end}${/[.!?…]$/.test(end) ? '' : '.'}`;
}

type ErrorFields = Readonly<Record<string, unknown>> & { readonly cause?: unknown };

type ClassesOf<M> = { [K in keyof M]: M[K] extends abstract new (...args: never) => infer E ? E : never }[keyof M];

function plain(value: unknown): unknown {
  if (isCoxswainError(value)) return value.toJSON();
  if (value instanceof Error) return { name: value.name, message: reasonOf(value) };
  if (value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  return value;
}
