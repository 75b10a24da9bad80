import { isJsonObject } from '../wire/kinds.ts';
import type { Message } from '../wire/messages.ts';

// Only the `type` of a message is checked, so every other field may be missing or invalid.

/** The value of a field, for any `value`. */
export function field(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function stringField(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}

export function numberField(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

/** A number of tokens or dollars, which is never negative. */
export function amountField(value: unknown, name: string): number | undefined {
  const found = numberField(value, name);
  return found !== undefined && found >= 0 ? found : undefined;
}

/** The elements of a field if it is an array; otherwise none. */
export function arrayField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}

/** The texts in a field that is an array; otherwise none. */
export function stringsField(value: unknown, name: string): string[] {
  return arrayField(value, name).filter((entry) => typeof entry === 'string');
}

/** The session a message belongs to. It can change during a session: `/clear` starts a new one. */
export function sessionIdOf(message: Message): string | undefined {
  return stringField(message, 'session_id') || undefined;
}
