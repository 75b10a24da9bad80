import type { Stats } from '../api.ts';
import { addCost, NO_COST } from '../conversations/cost.ts';

/** The name shown for costs of unknown models. */
const ALL_MODELS = 'fleet';

/** Adds a fleet's totals per day. */
export function withSpending(stats: Stats, spending: readonly { readonly day: string; readonly usd: number }[]): Stats {
  if (spending.length === 0) return stats;
  const ofDay = new Map<string, number>();
  for (const { day, usd } of spending) ofDay.set(day, (ofDay.get(day) ?? 0) + usd);
  let sum = NO_COST;
  const days = stats.days.map((day) => {
    const spent = { ...NO_COST, usd: ofDay.get(day.day) ?? 0 };
    if (spent.usd === 0) return day;
    sum = addCost(sum, spent);
    return { ...day, usd: day.usd + spent.usd, models: { ...day.models, [ALL_MODELS]: spent } };
  });
  return { ...stats, days, total: addCost(stats.total, sum), byModel: { ...stats.byModel, [ALL_MODELS]: sum } };
}
