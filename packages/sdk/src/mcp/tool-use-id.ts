/** The id of the tool use that a call belongs to; the CLI puts it into the request's `_meta`. */
export function toolUseIdOf(meta: unknown): string | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  const id: unknown = Reflect.get(meta, 'claudecode/toolUseId');
  return typeof id === 'string' ? id : undefined;
}
