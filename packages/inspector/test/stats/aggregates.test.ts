import { describe, expect, it } from 'vitest';
import { Aggregates } from '../../src/stats/aggregates.ts';

const NOW = new Date(2026, 10, 16, 12).getTime();
const DAY = 24 * 60 * 60 * 1000;
const cost = (usd: number) => ({
  usd,
  estimated: 0,
  tokens: { input: 1, output: 2, cacheRead: 3, cacheCreation: 4 },
  complete: true,
});

const PLACE = { byTool: {}, project: '/boat' };

describe('the figures', () => {
  it('[I-1] add up by day and model, with days without turns', () => {
    const figures = new Aggregates();
    figures.add({
      at: NOW,
      conversation: 'a',
      cost: cost(1),
      byModel: { x: cost(1) },
      ...PLACE,
      durationMs: 1_000,
      ok: true,
    });
    figures.add({
      at: NOW - 2 * DAY,
      conversation: 'b',
      cost: cost(2),
      byModel: { y: cost(2) },
      ...PLACE,
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
      figures.add({ at: NOW, conversation: 'a', cost: cost(0), byModel: {}, ...PLACE, durationMs: n * 10, ok: true });
    }
    const { latencyMs } = figures.report(1, NOW, () => undefined).days[0] ?? {};
    expect(latencyMs?.p50).toBeGreaterThan(4_800);
    expect(latencyMs?.p50).toBeLessThan(5_200);
    expect(latencyMs?.p95).toBeGreaterThan(9_200);
    expect(latencyMs?.p95).toBeLessThan(9_800);
  });

  it('[I-13] of a range are split by conversation, tool and project, without those before it', () => {
    const figures = new Aggregates();
    const add = (conversation: string, usd: number, tool: string, project: string | null, at = NOW): void =>
      figures.add({
        at,
        conversation,
        cost: cost(usd),
        byModel: {},
        byTool: { [tool]: cost(usd) },
        project,
        durationMs: 1,
        ok: true,
      });
    add('a', 1, 'Bash', '/boat');
    add('b', 2, 'Edit', '/canoe');
    add('a', 4, 'Bash', null);
    add('old', 8, 'Bash', '/boat', NOW - 10 * DAY);
    const { total, top, byTool, byProject } = figures.report(7, NOW, (id) => id);
    expect(total.usd).toBe(7);
    expect(top.map(({ conversation, cost }) => [conversation, cost.usd])).toEqual([
      ['a', 5],
      ['b', 2],
    ]);
    expect(byTool).toMatchObject({ Bash: { usd: 5 }, Edit: { usd: 2 } });
    expect(byProject).toMatchObject({ '/boat': { usd: 1 }, '/canoe': { usd: 2 } });
  });
});
