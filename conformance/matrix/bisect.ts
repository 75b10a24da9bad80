import type { Measured } from './measured.ts';

/** A search for the first release that has a feature. */
export interface Search {
  readonly id: string;
  /** The oldest release to consider; a feature it has counts as introduced there. */
  readonly floor: string;
}

/** The releases between which a feature was introduced. */
export interface Span {
  /** The index of the last release known to lack it; one below the floor if unknown. */
  readonly lacks: number;
  /** The first release known to have it, like all later measured ones; undefined if the newest lacks it. */
  readonly has: number | undefined;
}

/** What to measure next. */
export interface Step {
  readonly version: string;
  readonly features: readonly string[];
}

/** Where a feature was introduced, according to the measurements. A release that lost it again counts as lacking it. */
export function spanOf({ id, floor }: Search, releases: readonly string[], measured: Measured): Span {
  const bottom = releases.indexOf(floor);
  const known = releases
    .map((version, index) => ({ index, verdict: measured[version]?.[id]?.verdict }))
    .filter(({ index, verdict }) => index >= bottom && verdict !== undefined);
  const lacks = known.findLast(({ verdict }) => verdict === 'no')?.index ?? bottom - 1;
  return { lacks, has: known.find(({ index }) => index > lacks)?.index };
}

/**
 * The next release to measure: the newest, then the oldest to consider, since most features are that old, then the
 * most informative one, near the middle of many spans. `ready` releases need not be fetched. Undefined if every search
 * is done.
 */
export function nextStep(
  searches: readonly Search[],
  releases: readonly string[],
  measured: Measured,
  ready: ReadonlySet<string> = new Set(),
): Step | undefined {
  const spans = searches.map((search) => ({ ...search, ...spanOf(search, releases, measured) }));
  const newest = releases.length - 1;
  const unseen = spans.filter(({ has, lacks }) => has === undefined && lacks < newest);
  if (unseen.length > 0) return { version: releases[newest] ?? '', features: unseen.map(({ id }) => id) };

  const open = spans.flatMap((span) =>
    span.has !== undefined && span.has - span.lacks > 1 ? [{ ...span, has: span.has }] : [],
  );
  const unasked = open.filter(({ lacks, floor }) => lacks < releases.indexOf(floor));
  const [first] = unasked;
  if (first !== undefined) {
    const together = unasked.filter(({ floor }) => floor === first.floor);
    return { version: first.floor, features: together.map(({ id }) => id) };
  }
  const worth = (index: number): number => {
    const gains = open.map(({ lacks, has }) => Math.max(0, Math.min(index - lacks, has - index) / (has - lacks)));
    return gains.reduce((sum, gain) => sum + gain, 0) * (ready.has(releases[index] ?? '') ? 1.3 : 1);
  };
  const best = releases.map((_, index) => index).reduce((a, b) => (worth(b) > worth(a) ? b : a), 0);
  const inside = open.filter(({ lacks, has }) => lacks < best && best < has);
  return inside.length === 0 ? undefined : { version: releases[best] ?? '', features: inside.map(({ id }) => id) };
}
