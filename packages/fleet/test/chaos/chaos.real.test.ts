import { describe, expect, it } from 'vitest';
import { newSeed, runChaos } from './chaos.ts';

describe('chaos', () => {
  it('[F-2, F-3, F-4, F-5, F-7, F-12] 200 turns of 20 conversations while workers, connections and PostgreSQL die', {
    timeout: 120_000,
  }, async () => {
    const seed = newSeed();
    const report = await runChaos({
      turns: 200,
      conversations: 20,
      workers: 3,
      slots: 4,
      seed,
      everyMs: 1_000,
      maxFaults: 6,
      leaseMs: 1_500,
      outageMs: 3_000,
      processWorkers: 0,
      workMs: 20,
    });
    expect(report.problems, `seed ${seed}`).toEqual([]);
    expect(report.outcomes.completed).toBeGreaterThan(0);
    expect(Object.values(report.faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(3);
  });
});
