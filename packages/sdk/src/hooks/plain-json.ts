/** A value as JSON has it, or why JSON cannot have it. */
export type PlainJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Copies a value through JSON, so that what was checked is what is sent, whatever its getters do later. */
export function plainJson(value: unknown): PlainJson {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) return { ok: false, problem: `JSON has no ${typeof value}` };
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'it cannot be written as JSON' };
  }
}
