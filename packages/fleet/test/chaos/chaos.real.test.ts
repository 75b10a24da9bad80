import { describe, expect, it } from 'vitest';
import { runChaos } from './chaos.ts';
import { newSeed } from './plan.ts';

describe('chaos', () => {
  it('[F-2, F-3, F-4, F-5, F-7, F-12] 100 turns of 20 conversations while workers, connections and PostgreSQL die', {
    timeout: 120_000,
  }, async () => {
    const seed = newSeed();
    const report = await runChaos({
      turns: 100,
      conversations: 20,
      workers: 3,
      slots: 4,
      seed,
      everyMs: 1_000,
      maxFaults: 4,
      leaseMs: 1_500,
      outageMs: 3_000,
      processWorkers: 0,
      workMs: 20,
    });
    expect(report.problems, `seed ${seed}`).toEqual([]);
    expect(report.outcomes.completed).toBeGreaterThan(0);
    expect(Object.values(report.faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(3);
  });

  it('[F-1, F-17, F-18, F-19] 80 turns while PostgreSQL crashes and the functions of the agent are slow', {
    timeout: 180_000,
  }, async () => {
    const seed = newSeed();
    const report = await runChaos({
      turns: 80,
      conversations: 40,
      workers: 3,
      slots: 10,
      seed,
      everyMs: 1_000,
      maxFaults: 3,
      leaseMs: 10_000,
      outageMs: 0,
      processWorkers: 0,
      workMs: 20,
      prepareMs: 1_000,
      harms: 'crashes',
    });
    expect(report.problems, `seed ${seed}`).toEqual([]);
    expect(report.outcomes.completed).toBeGreaterThan(0);
    expect(Object.values(report.faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(2);
  });

  it('[F-3, F-8, F-35] 60 turns that ask, are parked and answered while workers and PostgreSQL die', {
    timeout: 180_000,
  }, async () => {
    const seed = newSeed();
    const report = await runChaos({
      turns: 60,
      conversations: 20,
      workers: 3,
      slots: 4,
      seed,
      everyMs: 1_000,
      maxFaults: 4,
      leaseMs: 1_500,
      outageMs: 2_000,
      processWorkers: 0,
      workMs: 20,
      asks: 0.6,
    });
    expect(report.problems, `seed ${seed}`).toEqual([]);
    expect(report.outcomes.completed).toBeGreaterThan(0);
    expect(report.approvals['turns parked']).toBeGreaterThan(0);
  });
});
