import { expect, it } from 'vitest';
import { RoundTrips } from '../../src/database/round-trips.ts';

it('[F-24] a response is slow relative to the usual ones: one slow response does not change the limit, a slow network does', () => {
  const trips = new RoundTrips();
  const first = trips.slowMs(1);
  for (let n = 0; n < 100; n += 1) trips.answered(2);
  const quick = trips.slowMs(1);
  expect(quick).toBeLessThan(first + 10);
  trips.answered(5_000);
  expect(trips.slowMs(1)).toBe(quick);
  for (let n = 0; n < 100; n += 1) trips.answered(2_000);
  expect(trips.slowMs(1)).toBeGreaterThan(2_000 * 1.5);
  expect(trips.slowMs(6)).toBeGreaterThan(trips.slowMs(1));
  trips.answered(2);
  expect(trips.slowMs(1)).toBe(quick);
});
