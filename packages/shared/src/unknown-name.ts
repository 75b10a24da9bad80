/** The problem with a name that is not in the list of known ones, for the message of an `OptionsError`. */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  if (meant !== undefined) return `is not a known ${kind}. Did you mean ${meant}?`;
  return known.length > 12
    ? `is not a known ${kind}.`
    : `is not a known ${kind}; the known ones are ${known.join(', ')}.`;
}

/** The known name that `name` was probably meant to be. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const folded = fold(name);
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = fold(candidate);
    // One slip in a short word, two in a long one: with more, `hooks` would suggest `tools`.
    const count = slips(folded, other, Math.min(folded.length, other.length) > 5 ? 2 : 1);
    if (count < fewest) [best, fewest] = [candidate, count];
  }
  return best;
}

/** `max_turns`, `max-turns` and `maxTurns` are the same word. */
function fold(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase();
}

/** The insertions, deletions, replacements and swaps of neighbours between two words; infinite if there are more than `most`. */
function slips(a: string, b: string, most: number): number {
  if (a === b) return 0;
  if (most === 0) return Number.POSITIVE_INFINITY;
  let at = 0;
  while (a[at] === b[at]) at++;
  const after = (ofA: number, ofB: number): number => 1 + slips(a.slice(at + ofA), b.slice(at + ofB), most - 1);
  const swapped = a[at] === b[at + 1] && a[at + 1] === b[at];
  return Math.min(after(1, 0), after(0, 1), after(1, 1), swapped ? after(2, 2) : Number.POSITIVE_INFINITY);
}
