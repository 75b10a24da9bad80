import type { DayStats, Stats } from '../../api.ts';

/** Cost per day by model, each model on top of the ones before: drawn from the last to the first, they look stacked. */
export interface StackedCost {
  readonly models: readonly string[];
  /** One list per model, of the sums up to and including it. */
  readonly sums: readonly (readonly number[])[];
}

/** More models than this share the last shade. */
const SHADES = 3;

/** The dearest models first; the rest together as `others`. */
export function stackCost(stats: Stats): StackedCost {
  const names = Object.entries(stats.byModel)
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
