import { describe, expect, it } from 'vitest';
import { parkedVersions } from '../parked/versions.ts';
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

  it.each(parkedVersions)(
    '[F-6, F-8, F-35] parks turns that ask on %s: workers die, others continue in new homes, and commands run at most once',
    { timeout: 240_000 },
    async (version) => {
      const report = await runKills({
        turns: 9,
        conversations: 3,
        workers: 1,
        slots: 3,
        kills: 2,
        asking: true,
        version,
      });
      expect(report.problems).toEqual([]);
      expect(report.kills).toBeGreaterThanOrEqual(1);
      expect(report.answers).toBe(3);
      expect(report.parked).toBeGreaterThanOrEqual(2);
      expect(report.outcomes.completed).toBeGreaterThanOrEqual(6);
    },
  );
});
