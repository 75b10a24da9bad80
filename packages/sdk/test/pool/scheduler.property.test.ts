import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedPool } from './simulated-pool.ts';

const KEYS = [null, 'a', 'b', 'c', 'd'] as const;

/** One action; `pick` chooses among the possible ones. */
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('submit' as const),
      key: fc.constantFrom(...KEYS),
      priority: fc.integer({ min: -10, max: 10 }),
      fresh: fc.boolean(),
      profile: fc.constantFrom('', '', 'x', 'y'),
    }),
  },
  { weight: 8, arbitrary: fc.record({ type: fc.constant('process' as const), pick: fc.nat(1_000) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), pick: fc.nat(1_000) }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ type: 'pause' as const }, { type: 'resume' as const }, { type: 'warm' as const }),
  },
);

const rules = fc.record({
  size: fc.integer({ min: 1, max: 4 }),
  prewarm: fc.integer({ min: 0, max: 3 }),
  queue: fc.integer({ min: 1, max: 12 }),
  perKey: fc.integer({ min: 1, max: 4 }),
  ageing: fc.integer({ min: 0, max: 8 }),
  affinity: fc.integer({ min: 0, max: 8 }),
});

describe('the scheduler, compared with a model', () => {
  it('[A-4] keeps the size, the order of each key, one end per job and every slot for any sequence of events', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        rules,
        fc.array(action, { maxLength: 80 }),
        fc.constantFrom('drain', 'stop', 'none'),
        (given, actions, end) => {
          const pool = new SimulatedPool(given);
          play(pool, actions);
          pool.feed({ type: 'resume' });
          if (end !== 'none') pool.feed({ type: end });
          pool.finish();
          // Every job has ended exactly once, and a closed pool has no processes.
          expect([...pool.jobs.values()].filter(({ state }) => state !== 'ended')).toEqual([]);
          expect(pool.ends).toHaveLength(pool.jobs.size);
          expect(pool.mostProcesses).toBeLessThanOrEqual(given.size);
          expect(pool.closes).toBe(end === 'none' ? 0 : 1);
          if (end !== 'none') expect(pool.processes.size).toBe(0);
          for (const { how } of pool.ends) seen.add(how);
        },
      ),
      { numRuns: 2_000, seed: 7 },
    );
    // All kinds of ends have occurred.
    expect([...seen].sort()).toEqual(['cancelled', 'closed', 'key-full', 'lost', 'queue-full', 'ran']);
  });

  it('[A-4] starts a job of low priority after a bounded number of other starts', () => {
    fc.assert(
      fc.property(
        fc.record({
          size: fc.integer({ min: 1, max: 4 }),
          ageing: fc.integer({ min: 0, max: 4 }),
          affinity: fc.integer({ min: 0, max: 6 }),
          priority: fc.integer({ min: -10, max: 10 }),
          lanes: fc.integer({ min: 1, max: 8 }),
        }),
        fc.infiniteStream(fc.nat(1_000)),
        ({ size, ageing, affinity, priority, lanes }, picks) => {
          const pool = new SimulatedPool({ size, ageing, affinity });
          const busyKeys = Array.from({ length: lanes }, (_, n) => `key ${n}`);
          let count = 0;
          // Each key always has another job of the highest priority.
          const press = (): void => {
            for (const key of busyKeys) {
              const waits = [...pool.jobs.values()].some((job) => job.key === key && job.state === 'waiting');
              if (!waits) pool.submit(`busy ${count++}`, key, { priority: 10 });
            }
          };
          press();
          pool.submit('patient', 'patient', { priority });
          const bound = (10 - priority) * ageing + affinity + lanes + size + 1;
          while (!pool.started.includes('patient')) {
            expect(pool.started.length).toBeLessThanOrEqual(bound + size);
            // A process that is stopped exits before another turn ends.
            const stopping = [...pool.processes.values()].find((process) => process.stopping);
            const running = [...pool.processes.values()].filter(({ job }) => job !== undefined);
            const next = stopping ?? running[(picks.next().value ?? 0) % running.length];
            if (!next) throw new Error('No process is running');
            pool.feed(
              stopping ? { type: 'exited', slot: next.slot } : { type: 'turn-ended', slot: next.slot, quiet: true },
            );
            press();
          }
        },
      ),
      { numRuns: 300, seed: 11 },
    );
  });
});

function play(
  pool: SimulatedPool,
  actions: readonly (typeof action extends fc.Arbitrary<infer H> ? H : never)[],
): void {
  for (const [index, next] of actions.entries()) {
    const jobs = [...pool.jobs.keys()];
    if (next.type === 'submit') pool.submit(`job ${index}`, next.key, next);
    else if (next.type === 'cancel') pool.feed({ type: 'cancel', job: jobs[next.pick % jobs.length] ?? 'no such job' });
    else if (next.type === 'process') {
      const { possible } = pool;
      const event = possible[next.pick % possible.length];
      if (event) pool.feed(event);
    } else pool.feed(next);
  }
}
