import { describe, expect, it } from 'vitest';
import { runKills } from './kills.ts';

describe('a fleet on the real CLI', () => {
  it('[F-4, F-6] continues after kill -9 on new machines, and the model receives exactly the recorded history', {
    timeout: 150_000,
  }, async () => {
    const report = await runKills({ turns: 6, conversations: 2, workers: 1, slots: 2, kills: 1 });
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({ kills: 1, homes: 2 });
    expect(report.outcomes.completed).toBeGreaterThanOrEqual(4);
    expect(report.compared).toBeGreaterThanOrEqual(4);
  });
});
