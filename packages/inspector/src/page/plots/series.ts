import type { DayStats, Stats } from '../../api.ts';

/** Cost per day by model, each added to the models before it: drawn from last to first, they look stacked. */
export interface StackedCost {
  readonly models: readonly string[];
  /** One list per model, with the sums up to and including it. */
  readonly sums: readonly (readonly number[])[];
}

/** Number of shades; further models share the last one. */
const SHADES = 3;

/** The most expensive models first; the rest together as `others`. */
export function stackCost(stats: Stats): StackedCost {
  const names = Object.entries(stats.byModel)
    .filter(([, { usd }]) => usd > 0)
    .sort(([, a], [, b]) => b.usd - a.usd)
    .map(([model]) => model);
  const shown = names.length > SHADES ? names.slice(0, SHADES - 1) : names;
  const rest = names.slice(shown.length);
  const groups = rest.length === 0 ? shown.map((name) => [name]) : [...shown.map((name) => [name]), rest];
  const before = stats.days.map(() => 0);
  const sums = groups.map((group) =>
    stats.days.map((day, at) => {
      before[at] = (before[at] ?? 0) + group.reduce((sum, model) => sum + (day.models[model]?.usd ?? 0), 0);
      return before[at] ?? 0;
    }),
  );
  return { models: rest.length === 0 ? shown : [...shown, 'others'], sums };
}

/** The start of each day, in seconds. */
export function daysOf(days: readonly DayStats[]): number[] {
  return days.map(({ day }) => new Date(`${day}T00:00:00`).getTime() / 1_000);
}

/** All tokens of each day. */
export function tokensOf(days: readonly DayStats[]): number[] {
  return days.map(({ tokens }) => tokens.input + tokens.output + tokens.cacheRead + tokens.cacheCreation);
}

/** The end of an axis: 1, 2, 4, 6, 8 or 10 times a power of ten, so that its half is also round. */
export function roundTop(max: number): number {
  if (!(max > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  const step = [1, 2, 4, 6, 8].find((factor) => factor * power >= max) ?? 10;
  return Number((step * power).toPrecision(2));
}

/** The end of an axis in milliseconds, which are shown as seconds, minutes or hours. */
export function roundDuration(max: number): number {
  const unit = max <= 60_000 ? 1_000 : max <= 3_600_000 ? 60_000 : 3_600_000;
  return roundTop(max / unit) * unit;
}
