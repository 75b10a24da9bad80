declare const unknownKind: unique symbol;

/**
 * A `type` or `subtype` that these types do not list. At run time it is any string that the CLI sent
 * (`const kind: string = message.type`). For the compiler it is a branded literal, because a branded `string` is comparable
 * to every literal, and a comparison with a known one would not narrow.
 */
export type UnknownKind = '(unknown)' & { readonly [unknownKind]: true };

/** A string with known values. Later releases may add others. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object other than an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON object; returns undefined for any other text. Never throws. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An object discriminated by its `type`. */
export interface Typed<Type extends string> {
  readonly type: Type;
}

/** The fields of nearly every message. */
export interface Enveloped<Type extends string> extends Typed<Type> {
  readonly uuid: string;
  readonly session_id: string;
}

/** The fields of `Enveloped`, for messages that do not carry them in every release. */
export interface LooselyEnveloped<Type extends string> extends Typed<Type> {
  readonly uuid?: string;
  readonly session_id?: string;
}
