declare const unknownKind: unique symbol;

/**
 * A `type` or `subtype` that these types do not know: at run time any string the CLI sent
 * (`const kind: string = message.type`). For the compiler it is a branded literal, because a branded `string` is
 * comparable to every literal, so that a comparison with a known one would not narrow.
 */
export type UnknownKind = '(unknown)' & { readonly [unknownKind]: true };

/** A string with known values; later releases may add others. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object that is neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object in a text; undefined for anything else. Never throws. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Something that is told apart by its `type`. */
export interface Typed<Type extends string> {
  readonly type: Type;
}

/** The fields of nearly every message. */
export interface Enveloped<Type extends string> extends Typed<Type> {
  readonly uuid: string;
  readonly session_id: string;
}

/** The same fields where not every release sends them. */
export interface LooselyEnveloped<Type extends string> extends Typed<Type> {
  readonly uuid?: string;
  readonly session_id?: string;
}
