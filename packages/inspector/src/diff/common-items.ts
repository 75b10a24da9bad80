/** Indices in two lists. */
export type Pair = readonly [number, number];

/** A longest common subsequence of two lists, as pairs of indices. Memory: one cell per pair of items. */
export function commonItems<T>(a: readonly T[], b: readonly T[]): Pair[] {
  const width = b.length + 1;
  // The length of the common rest, starting at each pair of indices.
  const rest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => rest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      rest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
