import { describe, expect, it } from 'vitest';
import { ago, bytes, count, duration, plural, usd } from '../../src/render/format.ts';

describe('formatting of numbers', () => {
  it.each([
    [0, '0.0 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min 00 s'],
    [125_000, '2 min 05 s'],
    [3_720_000, '1 h 02 min'],
  ])('%i ms is %s', (ms, words) => expect(duration(ms)).toBe(words));

  it.each([
    [812, '812'],
    [1_000, '1k'],
    [8_149, '8.1k'],
    [99_960, '100k'],
    [1_250_000, '1.25M'],
  ])('%i is %s', (value, words) => expect(count(value)).toBe(words));

  it('formats costs and sizes', () => {
    expect([0, 0.0184, 1.2].map(usd)).toEqual(['$0.00', '$0.0184', '$1.20']);
    expect([312, 1_500, 80_123_456].map(bytes)).toEqual(['312 B', '2 kB', '80.1 MB']);
    expect([0, 1, 2].map((many) => plural(many, 'call'))).toEqual(['0 calls', '1 call', '2 calls']);
  });

  it('formats times in the past', () => {
    const now = Date.UTC(2026, 10, 15);
    const times = [30_000, 5 * 60_000, 3 * 3_600_000, 2 * 86_400_000, 90 * 86_400_000];
    expect(times.map((ms) => ago(now - ms, now))).toEqual([
      'just now',
      '5 min ago',
      '3 h ago',
      '2 days ago',
      '2026-08-17',
    ]);
  });
});
