import { commonItems, type Pair } from './common-items.ts';

/**
 * Bounds on the cost of a comparison, because agents choose the texts: cells in one table, visits per line, and the number of
 * lines above which only the common head and tail are found.
 */
const LIMITS = { cells: 1_000_000, looks: 40, lines: 40_000 };

interface Range {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/**
 * The common lines of two texts, in order: a patience diff. Lines that occur once in both texts are anchors, and the ranges
 * between them are compared again; a range without anchors uses a longest common subsequence.
 */
export function unchangedLines(a: readonly string[], b: readonly string[]): Pair[] {
  const found: Pair[] = [];
  const ranges: Range[] = [{ aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }];
  let looks = a.length + b.length > LIMITS.lines ? 0 : LIMITS.looks * (a.length + b.length);
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const inner = withoutEnds(a, b, range, found);
    const { aFrom, aTo, bFrom, bTo } = inner;
    const [aSize, bSize] = [aTo - aFrom, bTo - bFrom];
    looks -= aSize + bSize;
    if (aSize === 0 || bSize === 0 || looks < 0) continue;
    const anchors = anchorsIn(a, b, inner);
    if (anchors.length > 0) {
      for (const anchor of anchors) found.push(anchor);
      for (const rest of between(anchors, inner)) ranges.push(rest);
    } else if (aSize * bSize <= LIMITS.cells) {
      for (const [i, j] of commonItems(a.slice(aFrom, aTo), b.slice(bFrom, bTo))) found.push([aFrom + i, bFrom + j]);
    }
  }
  return found.sort(([first], [second]) => first - second);
}

/** Adds the common head and tail of a range to `found` and returns the rest. */
function withoutEnds(a: readonly string[], b: readonly string[], range: Range, found: Pair[]): Range {
  let { aFrom, aTo, bFrom, bTo } = range;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) found.push([aFrom++, bFrom++]);
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) found.push([--aTo, --bTo]);
  return { aFrom, aTo, bFrom, bTo };
}

/** Lines that occur once in both texts, restricted to those in the same order. */
function anchorsIn(a: readonly string[], b: readonly string[], range: Range): Pair[] {
  const places = new Map<string, { readonly a: number; b: number }>();
  for (let i = range.aFrom; i < range.aTo; i += 1) {
    const line = a[i] ?? '';
    places.set(line, { a: places.has(line) ? TWICE : i, b: NONE });
  }
  for (let j = range.bFrom; j < range.bTo; j += 1) {
    const place = places.get(b[j] ?? '');
    if (place) place.b = place.b === NONE ? j : TWICE;
  }
  const once = [...places.values()].filter((place) => place.a >= 0 && place.b >= 0);
  return ascending(once.map((place) => [place.a, place.b] as const).sort(([first], [second]) => first - second));
}

const NONE = -1;
const TWICE = -2;

/** The longest subsequence that ascends by the second index; the pairs are sorted by the first. */
function ascending(pairs: readonly Pair[]): Pair[] {
  /** The last pair of the best subsequence of each length, and the predecessor of each pair. */
  const ends: number[] = [];
  const previous: number[] = [];
  const second = (at: number | undefined): number => pairs[at ?? NONE]?.[1] ?? Number.POSITIVE_INFINITY;
  pairs.forEach(([, place], at) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (second(ends[middle]) < place) low = middle + 1;
      else high = middle;
    }
    previous[at] = ends[low - 1] ?? NONE;
    ends[low] = at;
  });
  const chosen: Pair[] = [];
  for (let at = ends.at(-1) ?? NONE; at !== NONE; at = previous[at] ?? NONE) {
    const pair = pairs[at];
    if (pair) chosen.push(pair);
  }
  return chosen.reverse();
}

/** The ranges before, between and after the anchors. */
function between(anchors: readonly Pair[], { aFrom, aTo, bFrom, bTo }: Range): Range[] {
  let [i, j] = [aFrom, bFrom];
  return [...anchors, [aTo, bTo] as const].map(([aAt, bAt]) => {
    const range = { aFrom: i, aTo: aAt, bFrom: j, bTo: bAt };
    [i, j] = [aAt + 1, bAt + 1];
    return range;
  });
}
