import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionAt, type Lease, nextEpoch, renewed, stopAt } from '../../src/lease/lease.ts';

const LEASE = 1_000;

describe('leases', () => {
  it('[F-5] a worker stops before its lease expires in the database, however long requests take and however much clocks differ', () => {
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
          let lease: Lease = { requestedAt: skew, leaseMs: LEASE, stopBeforeMs: 100 };
          let endsThere = LEASE;
          for (const { wait, there, back, lost } of requests) {
            now += wait;
            if (actionAt(lease, now + skew) === 'stop') break;
            const requestedAt = now + skew;
            now += there;
            // Another worker may have the lease by now.
            if (now > endsThere) break;
            endsThere = Math.max(endsThere, now + LEASE);
            now += back;
            if (!lost) lease = renewed(lease, requestedAt);
          }
          expect(stopAt(lease) - skew).toBeLessThan(endsThere);
        },
      ),
    );
  });

  it('[F-17] an epoch is not used again, even if the claim that had it is undone', () => {
    expect(nextEpoch(7, 1_000_000.7)).toBe(1_000_000);
    expect(nextEpoch(7, 1_000_050)).toBe(1_000_050);
    // The clock of another server may be behind.
    expect(nextEpoch(2_000_000, 1_000_050)).toBe(2_000_001);
  });

  it('[F-5] a lease is renewed after a third of its time and ended shortly before its end', () => {
    const lease = { requestedAt: 0, leaseMs: 900, stopBeforeMs: 100 };
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
