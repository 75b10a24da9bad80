import { describe, expect, it } from 'vitest';
import { columnsOf, firstLine, fit, harmless } from '../../src/render/measure.ts';

describe('measuring text', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['\u001b[31mred\u001b[39m', 3],
    ['🚣', 2],
  ])('%j takes %i columns', (text, columns) => expect(columnsOf(text)).toBe(columns));

  it.each([
    ['short', 10, 'short'],
    ['exactly-10', 10, 'exactly-10'],
    ['a little longer', 10, 'a little …'],
    ['日本語です', 5, '日本…'],
    ['anything', 0, ''],
  ])('[L-2] fits %j into %i columns', (text, columns, expected) => expect(fit(text, columns)).toBe(expected));

  it('[L-2] removes terminal control sequences', () => {
    const evil = 'a\u001b[2Jb\u001b]0;title\u0007c\rd\u0000e\u009b31mf\tg\n\u001bPq\u001b\\h';
    expect(harmless(evil)).toBe('abcde31mf\tg\nh');
  });

  it('finds the first line that is not blank', () => expect(firstLine('\n\n  first \nsecond')).toBe('first'));
});
