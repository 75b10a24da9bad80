import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  actionAt,
  canClaim,
  canWrite,
  claimed,
  type Holding,
  type Lease,
  renewed,
  stopAt,
} from '../../src/lease/lease.ts';

const LEASE = 1_000;

describe('leases', () => {
  it('[F-5] a worker stops before its lease ends in the database, however long requests take and clocks differ', () => {
    const request = fc.record({
      wait: fc.integer({ min: 0, max: 900 }),
      there: fc.integer({ min: 0, max: 400 }),
      back: fc.integer({ min: 0, max: 400 }),
      lost: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.array(request, { minLength: 1, maxLength: 20 }),
        (skew, requests) => {
          // `now` is true time; the worker's clock is off by `skew`, but runs at the same rate.
          let now = 0;
          let lease: Lease = { askedAt: skew, leaseMs: LEASE, stopBeforeMs: 100 };
          let endsThere = LEASE;
          for (const { wait, there, back, lost } of requests) {
            now += wait;
            if (actionAt(lease, now + skew) === 'stop') break;
            const askedAt = now + skew;
            now += there;
            // The database may have given the lease away by now.
            if (now > endsThere) break;
            endsThere = Math.max(endsThere, now + LEASE);
            now += back;
            if (!lost) lease = renewed(lease, askedAt);
          }
          expect(stopAt(lease) - skew).toBeLessThan(endsThere);
        },
      ),
    );
  });

  it('[F-5] of all workers that ever claimed a conversation, at most one can write, and it is the last', () => {
    const step = fc.record({
      worker: fc.constantFrom('a', 'b', 'c'),
      passes: fc.integer({ min: 0, max: 1_500 }),
      what: fc.constantFrom('claim', 'renew', 'release'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let now = 0;
        let holding: Holding = { owner: null, epoch: 0, leaseUntil: null };
        const claims: { worker: string; epoch: number }[] = [];
        for (const { worker, passes, what } of steps) {
          now += passes;
          const mine = claims.findLast((claim) => claim.worker === worker);
          if (what === 'claim' && canClaim(holding, now)) {
            holding = claimed(holding, worker, now, LEASE);
            claims.push({ worker, epoch: holding.epoch });
          } else if (mine && canWrite(holding, worker, mine.epoch)) {
            holding =
              what === 'release'
                ? { ...holding, owner: null, leaseUntil: null }
                : { ...holding, leaseUntil: now + LEASE };
          }
          const writers = claims.filter((claim) => canWrite(holding, claim.worker, claim.epoch));
          expect(writers.length).toBeLessThanOrEqual(1);
          if (writers[0]) expect(writers[0]).toEqual(claims.at(-1));
        }
      }),
    );
  });

  it('[F-17] an epoch does not come again, even if the claim that had it is undone', () => {
    const before: Holding = { owner: null, epoch: 7, leaseUntil: null };
    expect(claimed(before, 'a', 1_000_000.7, LEASE).epoch).toBe(1_000_000);
    expect(claimed(before, 'a', 1_000_050, LEASE).epoch).toBe(1_000_050);
    // The clock of another server may be behind.
    expect(claimed({ ...before, epoch: 2_000_000 }, 'a', 1_000_050, LEASE).epoch).toBe(2_000_001);
  });

  it('[F-5] a lease is renewed after a third and given up shortly before its end', () => {
    const lease = { askedAt: 0, leaseMs: 900, stopBeforeMs: 100 };
    expect([0, 299, 300, 799, 800].map((now) => actionAt(lease, now))).toEqual([
      'hold',
      'hold',
      'renew',
      'renew',
      'stop',
    ]);
    expect(renewed(lease, -5)).toBe(lease);
  });
});
