import { describe, expect, it } from 'vitest';
import { roughly } from '../../src/fleet/flag-values.ts';

describe('a time in words', () => {
  it.each([
    [-5, '0 s'],
    [40_000, '40 s'],
    [119_400, '119 s'],
    [130_000, '2 min'],
    [(8 * 60 - 1) * 60_000, '8 h'],
    [47.2 * 3_600_000, '47 h'],
    [3.6 * 86_400_000, '4 days'],
  ])('[L-2] is rounded: %d ms', (ms, words) => {
    expect(roughly(ms)).toBe(words);
  });
});
