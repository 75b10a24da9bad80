import type { CostInfo, Stats } from '../../src/api.ts';
import { scaled } from '../../src/conversations/cost.ts';

/** The names in the sample figures. */
interface Names {
  readonly titles: readonly string[];
  readonly models: readonly string[];
}

/** The figures of a month of work. */
export function sampleStats(now: number, busy: boolean, { titles, models: names }: Names): Stats {
  const days = Array.from({ length: 30 }, (_, at) => {
    const factor = busy ? 0.4 + Math.abs(Math.sin(at * 1.7)) * (at % 7 > 4 ? 0.3 : 1.6) : 0;
    const models = Object.fromEntries(names.map((model, rank) => [model, sampleCost((factor * 2.4) / (rank + 1))]));
    return {
      day: new Date(now - (29 - at) * 86_400_000).toISOString().slice(0, 10),
      models: busy ? models : {},
      usd: factor * 4.4,
      tokens: {
        input: 30_000 * factor,
        output: 60_000 * factor,
        cacheRead: 2_400_000 * factor,
        cacheCreation: 200_000 * factor,
      },
      turns: Math.round(factor * 40),
      failed: Math.round(factor),
      latencyMs: busy ? { p50: 14_000 + factor * 6_000, p95: 60_000 + factor * 30_000 } : null,
    };
  });
  const total = sampleCost(days.reduce((sum, day) => sum + day.usd, 0));
  const shares = (parts: Readonly<Record<string, number>>): Record<string, CostInfo> =>
    busy ? Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, scaled(total, part)])) : {};
  return {
    unpriced: 0,
    pricesOf: '2026-11-18',
    byTool: shares({ Bash: 0.5, Edit: 0.3, 'no tool': 0.1 }),
    byProject: shares({ '/srv/rowing': 0.75, '/srv/canoe': 0.25 }),
    days,
    total,
    byModel: shares(Object.fromEntries(names.map((model, rank) => [model, [0.55, 0.27, 0.18][rank] ?? 0]))),
    top: busy
      ? titles.slice(0, 5).map((title, at) => ({ conversation: `c${at}`, title, cost: scaled(total, 0.3 / (at + 1)) }))
      : [],
  };
}

/** A cost with the usual tokens of a turn. */
export function sampleCost(usd: number): CostInfo {
  return {
    usd,
    estimated: 0,
    tokens: { input: 1_200, output: 3_400, cacheRead: 182_000, cacheCreation: 12_300 },
    complete: true,
  };
}
