declare const unknownKind: unique symbol;

/**
 * The `type` or `subtype` of something these types do not know yet: at run time whatever string the CLI sent
 * (`const kind: string = message.type`). For the compiler it is a branded literal, because a branded `string` counts as
 * comparable to every literal, and then comparing with a known one would not narrow.
 */
export type UnknownKind = '(unknown)' & { readonly [unknownKind]: true };

/** A string with well-known values that may grow. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/** A JSON object of which nothing is known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object that is neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True when the field `name` of `value` names a kind listed in `known`; takes anything, since nothing but `type` was checked. */
export function hasKnownKind(value: unknown, name: 'type' | 'subtype', known: object): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const kind: unknown = Reflect.get(value, name);
  return typeof kind === 'string' && Object.hasOwn(known, kind);
}
