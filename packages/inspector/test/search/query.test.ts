import { afterEach, expect, it } from 'vitest';
import { queryIn } from '../../src/search/query.ts';

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** Local times in Berlin, where clocks change on 29 March and 25 October 2026. */
const NIGHTS = [
  ['2026-10-25T23:30:00', 'yesterday', '2026-10-24T00:00:00'],
  ['2026-03-30T00:30:00', 'yesterday', '2026-03-29T00:00:00'],
  ['2026-03-30T00:30:00', '7d', '2026-03-23T00:00:00'],
  ['2026-11-18T12:00:00', 'today', '2026-11-18T00:00:00'],
  ['2026-11-18T12:00:00', '2026-11-02', '2026-11-02T00:00:00'],
] as const;

it.each(NIGHTS)('[I-16] at %s, after:%s begins at %s, also if a day has 23 or 25 hours', (now, date, start) => {
  process.env.TZ = 'Europe/Berlin';
  expect(queryIn(`after:${date}`, new Date(now).getTime()).after).toBe(new Date(start).getTime());
});

it('[I-16] a date that is not in the calendar is refused', () => {
  for (const date of ['2026-02-31', '2026-13-01', 'tomorrow'])
    expect(() => queryIn(`after:${date}`, Date.now())).toThrow('after: needs a date');
});
