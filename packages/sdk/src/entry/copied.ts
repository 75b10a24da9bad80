/** Layers of options as they are at the call, whatever the caller does to them before they are read. */
export function copied<O>(layers: readonly O[]): readonly O[] {
  return layers.map((layer) => (typeof layer === 'object' && layer !== null ? { ...layer } : layer));
}
