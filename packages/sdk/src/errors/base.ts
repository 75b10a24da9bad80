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

/** True for an error of this library, even if it comes from another copy of the package. */
export function hasBrand(value: unknown): value is CoxswainError {
  return value instanceof Error && BRAND in value;
}

/** `ControlTimeoutError` → `control-timeout`. */
export function codeOf(name: string): string {
  return name
    .replace(/Error$/, '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase();
}

/** The message of any thrown value. Never throws. */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'it threw a value that cannot be shown';
  }
}

/** Converts any thrown value to an error. */
export function errorOf(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(reasonOf(thrown));
}

/** True for an error. False if the value throws on inspection, as a revoked proxy does. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** The error code of the operating system or Node, such as `ENOENT`; empty if there is none. */
export function systemCodeOf(thrown: unknown): string {
  try {
    return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  } catch {
    return '';
  }
}

/** The CLI's reason for a refusal, without the final full stop. */
export function refusalReason(text: string): string {
  return text.replace(/\.$/, '') || 'it gave no reason';
}

/** Describes how a process ended, as the predicate of a sentence. */
export function describeExit({ exitCode, signal }: { exitCode: number | null; signal: string | null }): string {
  if (signal !== null) return `was killed by the signal ${signal}`;
  return exitCode === null ? 'ended in a way that its transport did not report' : `exited with code ${exitCode}`;
}

/** Quotes the end of a failed CLI's output, as a sentence for an error message. */
export function quoteOutput(text: string): string {
  const output = text.trim();
  if (output === '') return '';
  const end = output.length > 600 ? `…${output.slice(-600)}` : output;
  return ` It printed: ${end}${/[.!?…]$/.test(end) ? '' : '.'}`;
}

type ErrorFields = Readonly<Record<string, unknown>> & { readonly cause?: unknown };

/** Maximum depth of a copy. JSON can be nested more deeply than the call stack allows. */
const DEEPEST = 1_000;

/** Copies a value into plain JSON and passes every string through `redact`. Never throws. */
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

/** Errors whose `toJSON` is running. `toJSON` cannot detect a cycle that passes through its caller. */
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

/** @throws whatever reading the value throws */
function copied(value: object, copy: (field: unknown) => unknown): unknown {
  if (hasBrand(value)) return copy(jsonOf(value));
  if (value instanceof Error) return { name: copy(value.name), message: copy(reasonOf(value)) };
  if (value instanceof Uint8Array) return Array.from(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON());
  if (Array.isArray(value)) return value.map(copy);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copy(field)]));
}
