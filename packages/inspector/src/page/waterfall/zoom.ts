import type { Period } from './span-tree.ts';

/** Shortest part of a turn that can be shown. */
const SHORTEST_MS = 10;

/** The part around a moment that is `factor` times as long, within the whole. */
export function zoomed(shown: Period, whole: Period, factor: number, around = (shown.from + shown.to) / 2): Period {
  const length = Math.max(SHORTEST_MS, Math.min(whole.to - whole.from, (shown.to - shown.from) * factor));
  const share = (around - shown.from) / Math.max(1, shown.to - shown.from);
  return within({ from: around - share * length, to: around + (1 - share) * length }, whole);
}

/** The part moved by a share of its length, within the whole. */
export function moved(shown: Period, whole: Period, share: number): Period {
  const by = (shown.to - shown.from) * share;
  return within({ from: shown.from + by, to: shown.to + by }, whole);
}

/** The part that shows a period with some space around it. */
export function around({ from, to }: Period, whole: Period): Period {
  const space = Math.max(SHORTEST_MS, (to - from) * 0.1);
  return within({ from: from - space, to: to + space }, whole);
}

function within({ from, to }: Period, whole: Period): Period {
  const length = Math.min(to - from, whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: start, to: start + length };
}

/** Round times since the start of the turn for the axis: at most `most` of them. */
export function ticksOf(shown: Period, start: number, most: number): readonly number[] {
  const length = shown.to - shown.from;
  const step = STEPS.find((one) => length / one <= most) ?? Math.ceil(length / most / HOUR) * HOUR;
  const first = Math.ceil((shown.from - start) / step) * step;
  const ticks: number[] = [];
  for (let at = first; at <= shown.to - start && ticks.length <= most; at += step) ticks.push(at);
  return ticks;
}

const HOUR = 3_600_000;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000],
  ...[60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR],
];
