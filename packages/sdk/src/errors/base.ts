const BRAND = Symbol.for('coxswain.error');

/** What every error of this library has in common. `code` is stable: switch on it, never on the message. */
export abstract class CoxswainError extends Error {
  readonly code: string;

  protected constructor(name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, 'name', { value: name, configurable: true });
    Object.defineProperty(this, BRAND, { value: true });
    this.code = codeOf(name);
  }

  /** Name, code, message, all own fields and the cause, as plain JSON. */
  toJSON(): Record<string, unknown> {
    const json: Record<string, unknown> = { name: this.name, code: this.code, message: this.message };
    for (const [key, value] of Object.entries(this)) json[key] = plain(value);
    if (this.cause !== undefined) json.cause = plain(this.cause);
    return json;
  }
}

/** True for an error of this library, also when it comes from another copy of the package. */
export function isBranded(value: unknown): value is CoxswainError {
  return value instanceof Error && BRAND in value;
}

/** `ControlTimeoutError` → `control-timeout`. */
export function codeOf(name: string): string {
  return name
    .replace(/Error$/, '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase();
}

function plain(value: unknown): unknown {
  if (isBranded(value)) return value.toJSON();
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  return value;
}
