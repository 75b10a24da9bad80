import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedPool } from './simulated-pool.ts';

const KEYS = [null, 'a', 'b', 'c', 'd'] as const;

/** What happens next; `pick` chooses among what is possible then. */
const happening = fc.oneof(
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

describe('the scheduler against its model', () => {
  it('[A-4] keeps the bound, the order of each key, one end for each job and every slot, whatever happens', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        rules,
        fc.array(happening, { maxLength: 80 }),
        fc.constantFrom('drain', 'stop', 'none'),
        (given, happenings, end) => {
          const world = new SimulatedPool(given);
          play(world, happenings);
          world.feed({ type: 'resume' });
          if (end !== 'none') world.feed({ type: end });
          world.finish();
          // Every job has come to exactly one end, and nothing is left of the pool but what it keeps ready.
          expect([...world.jobs.values()].filter(({ state }) => state !== 'ended')).toEqual([]);
          expect(world.ends).toHaveLength(world.jobs.size);
          expect(world.mostProcesses).toBeLessThanOrEqual(given.size);
          expect(world.closes).toBe(end === 'none' ? 0 : 1);
          if (end !== 'none') expect(world.processes.size).toBe(0);
          for (const { how } of world.ends) seen.add(how);
        },
      ),
      { numRuns: 2_000, seed: 7 },
    );
    // The model was not run on idle worlds only.
    expect([...seen].sort()).toEqual(['cancelled', 'closed', 'key-full', 'lost', 'queue-full', 'ran']);
  });

  it('[A-4] starves nobody: a job of the lowest priority is passed by a bounded number of starts', () => {
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
          const world = new SimulatedPool({ size, ageing, affinity });
          const busyKeys = Array.from({ length: lanes }, (_, n) => `key ${n}`);
          let count = 0;
          // Each key always has another job of the highest priority.
          const press = (): void => {
            for (const key of busyKeys) {
              const waits = [...world.jobs.values()].some((job) => job.key === key && job.state === 'waiting');
              if (!waits) world.submit(`busy ${count++}`, key, { priority: 10 });
            }
          };
          press();
          world.submit('patient', 'patient', { priority });
          const bound = (10 - priority) * ageing + affinity + lanes + size + 1;
          while (!world.started.includes('patient')) {
            expect(world.started.length).toBeLessThanOrEqual(bound + size);
            // A process that is told to leave does so before another turn ends.
            const stopping = [...world.processes.values()].find((process) => process.stopping);
            const running = [...world.processes.values()].filter(({ job }) => job !== undefined);
            const next = stopping ?? running[(picks.next().value ?? 0) % running.length];
            if (!next) throw new Error('Nothing moves');
            world.feed(
              stopping ? { type: 'gone', slot: next.slot } : { type: 'turn-ended', slot: next.slot, quiet: true },
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
  world: SimulatedPool,
  happenings: readonly (typeof happening extends fc.Arbitrary<infer H> ? H : never)[],
): void {
  for (const [index, next] of happenings.entries()) {
    const jobs = [...world.jobs.keys()];
    if (next.type === 'submit') world.submit(`job ${index}`, next.key, next);
    else if (next.type === 'cancel') world.feed({ type: 'cancel', job: jobs[next.pick % jobs.length] ?? 'nobody' });
    else if (next.type === 'process') {
      const { possible } = world;
      const event = possible[next.pick % possible.length];
      if (event) world.feed(event);
    } else world.feed(next);
  }
}
