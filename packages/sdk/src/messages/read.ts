/** The value of a field, whatever `value` is. */
export function field(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value of a field if it is a string. */
export function stringField(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}

/** The value of a field if it is a number. */
export function numberField(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === 'number' ? found : undefined;
}

/** The elements of a field if it is an array; nothing otherwise. */
export function arrayField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}

/** The content blocks of an assistant or user message that have a string `type`, if `value` is such a message. */
export function blocksOf(value: unknown): readonly object[] {
  const type = field(value, 'type');
  if (type !== 'assistant' && type !== 'user') return [];
  return arrayField(field(value, 'message'), 'content').filter(isTyped);
}

/** True for an object of any kind. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isTyped(value: unknown): value is object {
  return stringField(value, 'type') !== undefined;
}
