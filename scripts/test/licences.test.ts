import { describe, expect, it } from 'vitest';
import { isAllowed } from '../licences/expression.mjs';
import { check } from '../licences/licences.mjs';

describe('the licences of the dependencies', () => {
  it('are all allowed', () => {
    const { checked, problems } = check();
    expect(checked).toBeGreaterThan(500);
    expect(problems).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['GPL-3.0-only', false],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND GPL-3.0-only', false],
    ['MIT AND (ISC OR GPL-3.0-only)', true],
    ['GPL-3.0-only OR MIT AND ISC', true],
    ['(GPL-3.0-only OR MIT) AND LGPL-3.0-only', false],
    ['SEE LICENSE IN LICENSE.md', false],
    ['MIT ISC', false],
    ['UNLICENSED', false],
    ['', false],
  ])('are read as SPDX expressions: %s', (expression, expected) => {
    expect(isAllowed(expression, ['MIT', 'ISC'])).toBe(expected);
  });
});
