import type * as errors from './index.ts';

const BRAND = Symbol.for('coxswain.error');

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
  return isError(thrown) ? thrown : new Error(reasonOf(thrown));
}

/** True for an error; false also for a value that cannot be asked. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
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

/** How a process ended, as the predicate of a sentence. */
export function howItEnded({ exitCode, signal }: { exitCode: number | null; signal: string | null }): string {
  if (signal !== null) return `was killed by the signal ${signal}`;
  return exitCode === null ? 'ended in a way that its transport did not report' : `exited with code ${exitCode}`;
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

/** How deeply a value is copied. JSON can be nested more deeply than functions can call each other. */
const DEEPEST = 1_000;

/** A copy of any value that JSON can hold, with every text passed through `redact`. Never throws. */
export function plain(
  value: unknown,
  redact: (text: string) => string = (text) => text,
  around: Set<object> = new Set(),
): unknown {
  try {
    if (typeof value === 'string') return redact(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (around.has(value)) return '[circular]';
    if (around.size > DEEPEST) return '[nested too deeply]';
    around.add(value);
    const copy = copied(value, (field) => plain(field, redact, around));
    around.delete(value);
    return copy;
  } catch {
    return '[cannot be shown]';
  }
}

/** The errors that are being converted: their own `toJSON` does not know what is around them. */
const converting = new Set<object>();

function jsonOf(error: CoxswainError): unknown {
  if (converting.has(error)) return '[circular]';
  converting.add(error);
  try {
    return error.toJSON();
  } finally {
    converting.delete(error);
  }
}

/** @throws what reading the value throws */
function copied(value: object, copy: (field: unknown) => unknown): unknown {
  if (isCoxswainError(value)) return copy(jsonOf(value));
  if (value instanceof Error) return { name: copy(value.name), message: copy(reasonOf(value)) };
  if (value instanceof Uint8Array) return Array.from(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON());
  if (Array.isArray(value)) return value.map(copy);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copy(field)]));
}
