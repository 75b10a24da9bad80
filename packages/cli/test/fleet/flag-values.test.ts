import { describe, expect, it } from 'vitest';
import { attributesOf, roughly } from '../../src/fleet/flag-values.ts';

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

describe('--attribute', () => {
  it('[L-2, F-46] is a name and a value; the value may have any characters', () => {
    expect(attributesOf(undefined)).toBeUndefined();
    expect(attributesOf(['a=b', 'query=x=1', 'empty='])).toEqual({ a: 'b', query: 'x=1', empty: '' });
  });

  it.each(['a', '=b', ''])('[L-2] without a name and a value is wrong usage: "%s"', (text) => {
    expect(() => attributesOf([text])).toThrow('--attribute must be <name>=<value>.');
  });
});
