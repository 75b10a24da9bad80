import { describe, expect, it } from 'vitest';
import { differences, show, textFits } from '../../src/matchers/pattern.ts';

describe('differences', () => {
  it.each([
    ['a part of an object', { a: 1 }, { a: 1, b: 2 }],
    ['deep parts', { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 1, d: 2 }] }, e: 3 }],
    ['an expression', { command: /\brm\b/ }, { command: 'rm -r x' }],
    ['an expression with state', { command: /rm/g }, { command: 'rm -r x' }],
    ['a function', (value: unknown) => value === 3, 3],
    ['an asymmetric matcher', { id: expect.any(String), list: expect.arrayContaining([1]) }, { id: 'x', list: [2, 1] }],
    ['null and undefined', { a: null, b: undefined }, { a: null }],
    ['NaN', Number.NaN, Number.NaN],
    ['an empty pattern', {}, { a: 1 }],
  ])('[K-4] are empty for %s', (_, pattern, value) => {
    expect(differences(pattern, value)).toEqual([]);
    expect(differences(pattern, value)).toEqual([]);
  });

  it.each([
    ['another value', { a: 1 }, { a: 2 }, ['a: expected 1, was 2']],
    ['a missing field', { a: { b: 1 } }, {}, ['a: expected { b: 1 }, was undefined']],
    [
      'each wrong leaf',
      { a: 1, b: { c: /x/ } },
      { a: 2, b: { c: 'y' } },
      ['a: expected 1, was 2', "b.c: expected /x/, was 'y'"],
    ],
    ['a list of another length', [1], [1, 2], ['expected [ 1 ], was [ 1, 2 ]']],
    ['an item', { a: [1, 2] }, { a: [1, 3] }, ['a[1]: expected 2, was 3']],
    ['an expression on a value other than text', /x/, 3, ['expected /x/, was 3']],
    ['an asymmetric matcher', { a: expect.any(String) }, { a: 1 }, ['a: expected Any<String>, was 1']],
    ['a text instead of a number', { a: '1' }, { a: 1 }, ["a: expected '1', was 1"]],
  ])('[K-4] name %s', (_, pattern, value, lines) => {
    expect(differences(pattern, value)).toEqual(lines);
  });
});

describe('textFits', () => {
  it('[K-4] searches for a string anywhere, and accepts regular expressions, functions and asymmetric matchers', () => {
    expect(textFits('b', 'abc')).toBe(true);
    expect(textFits('B', 'abc')).toBe(false);
    expect(textFits(/^b/, 'abc')).toBe(false);
    expect(textFits((text) => text.length === 3, 'abc')).toBe(true);
    expect(textFits(expect.stringMatching(/c$/), 'abc')).toBe(true);
  });
});

describe('show', () => {
  it('[K-4] stays on one line and shortens a long text', () => {
    const shown = show({ a: 'x'.repeat(1_000), b: [{ c: 1 }], d: 'two\nlines' });
    expect(shown).not.toContain('\n');
    expect(shown.length).toBeLessThan(450);
  });
});
