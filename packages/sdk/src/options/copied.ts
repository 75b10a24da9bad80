/** Data as it is at the call, whatever the caller does to it before it is read. */
export function snapshot<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    // It holds more than data, and is refused when it is read.
    return value;
  }
}

/** Layers of options as they are at the call; what they hold besides lists and `env` is not copied, for it may be alive. */
export function copied<O>(layers: readonly O[]): readonly O[] {
  return layers.map((layer) => (isRecord(layer) ? copiedLayer(layer) : layer));
}

function copiedLayer<O extends object>(layer: O): O {
  const copy = Object.entries(layer).map(([name, value]) => [
    name,
    Array.isArray(value) ? [...value] : name === 'env' && isRecord(value) ? { ...value } : value,
  ]);
  return Object.fromEntries(copy);
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
