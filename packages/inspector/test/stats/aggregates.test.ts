import { describe, expect, it } from 'vitest';
import { Aggregates } from '../../src/stats/aggregates.ts';

const NOW = new Date(2026, 10, 16, 12).getTime();
const DAY = 24 * 60 * 60 * 1000;
const cost = (usd: number) => ({
  usd,
  tokens: { input: 1, output: 2, cacheRead: 3, cacheCreation: 4 },
  complete: true,
});

describe('the figures', () => {
  it('[I-1] add up by day and model, with days without turns', () => {
    const figures = new Aggregates();
    figures.add({ at: NOW, conversation: 'a', cost: cost(1), byModel: { x: cost(1) }, durationMs: 1_000, ok: true });
    figures.add({
      at: NOW - 2 * DAY,
      conversation: 'b',
      cost: cost(2),
      byModel: { y: cost(2) },
      durationMs: 500,
      ok: false,
    });
    const { days, total, byModel, top } = figures.report(3, NOW, (id) => `title of ${id}`);
    expect(days.map(({ day, usd, turns, failed }) => [day, usd, turns, failed])).toEqual([
      ['2026-11-14', 2, 1, 1],
      ['2026-11-15', 0, 0, 0],
      ['2026-11-16', 1, 1, 0],
    ]);
    expect(days[1]?.latencyMs).toBeNull();
    expect(total.usd).toBe(3);
    expect(Object.keys(byModel)).toEqual(['y', 'x']);
    expect(top.map(({ conversation }) => conversation)).toEqual(['b', 'a']);
  });

  it('[I-1] include the median and the 95th percentile of turn durations, within a few percent', () => {
    const figures = new Aggregates();
    for (let n = 1; n <= 1_000; n += 1) {
      figures.add({ at: NOW, conversation: 'a', cost: cost(0), byModel: {}, durationMs: n * 10, ok: true });
    }
    const { latencyMs } = figures.report(1, NOW, () => undefined).days[0] ?? {};
    expect(latencyMs?.p50).toBeGreaterThan(4_800);
    expect(latencyMs?.p50).toBeLessThan(5_200);
    expect(latencyMs?.p95).toBeGreaterThan(9_200);
    expect(latencyMs?.p95).toBeLessThan(9_800);
  });
});
