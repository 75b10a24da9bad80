import { expect, it } from 'vitest';
import type { CostInfo, DayStats, Stats } from '../../src/api.ts';
import { roundDuration, roundTop, stackCost } from '../../src/page/plots/series.ts';

const cost = (usd: number): CostInfo => ({
  usd,
  estimated: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 },
  complete: true,
});
const day = (models: Record<string, number>): DayStats => ({
  day: '2026-11-16',
  models: Object.fromEntries(Object.entries(models).map(([name, usd]) => [name, cost(usd)])),
  usd: 0,
  tokens: cost(0).tokens,
  turns: 0,
  failed: 0,
  latencyMs: null,
});

it('stackCost puts the most expensive models first and combines the small ones', () => {
  const days = [day({ a: 1, b: 4, c: 2, d: 0.5 }), day({ b: 1 })];
  const byModel = { a: cost(1), b: cost(5), c: cost(2), d: cost(0.5) };
  const stats: Stats = {
    days,
    byModel,
    total: cost(8.5),
    byTool: {},
    byProject: {},
    unpriced: 0,
    pricesOf: '',
    top: [],
  };
  expect(stackCost(stats)).toEqual({
    models: ['b', 'c', 'others'],
    sums: [
      [4, 1],
      [6, 1],
      [7.5, 1],
    ],
  });
});

it('roundTop returns a round value whose half is also round', () => {
  expect([0, 0.013, 0.03, 1, 1.01, 7, 9_500].map(roundTop)).toEqual([1, 0.02, 0.04, 1, 2, 8, 10_000]);
  expect([0, 400, 5_600, 45_000, 61_000, 1_500_000].map(roundDuration)).toEqual([
    ...[1_000, 400, 6_000, 60_000, 120_000, 2_400_000],
  ]);
});
