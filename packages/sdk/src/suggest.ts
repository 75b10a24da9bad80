/** The known name that `name` was probably meant to be. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const folded = fold(name);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = fold(candidate);
    // One slip in a short word, two in a long one: with more, `hooks` would suggest `tools`.
    const allowed = Math.min(folded.length, other.length) > 5 ? 2 : 1;
    if (Math.abs(folded.length - other.length) > allowed) continue;
    const distance = editDistance(folded, other);
    if (distance <= allowed && distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `max_turns`, `max-turns` and `maxTurns` are the same word. */
function fold(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase();
}

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
