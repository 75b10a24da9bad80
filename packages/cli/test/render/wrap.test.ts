import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../src/render/measure.ts';
import { colours } from '../../src/render/paint.ts';
import { WordWrap, wrapLines } from '../../src/render/wrap.ts';

const SENTENCE = 'The rate should be unknown until the first stroke.';

describe('a line that is too long', () => {
  it('[L-2] is broken between words, and its continuation is indented', () => {
    expect(wrapLines(`✗ ${SENTENCE}`, 25)).toEqual(['✗ The rate should be', '  unknown until the first', '  stroke.']);
    expect(wrapLines(`    ${SENTENCE}`, 30)).toEqual(['    The rate should be unknown', '    until the first stroke.']);
    expect(wrapLines('short\nlines', 10)).toEqual(['short', 'lines']);
  });

  it('[L-2] does not count colour codes', () => {
    const line = `${colours.red('✗')} ${colours.bold('two')} ${colours.dim('words')}`;
    expect(wrapLines(line, 11)).toEqual([line]);
    expect(wrapLines(line, 10).map(columnsOf)).toEqual([5, 7]);
  });

  it('[L-2] does not break a URL', () => {
    const address = 'https://example.com/a/long/path';
    expect(wrapLines(`See ${address} there`, 20)).toEqual(['See', address, 'there']);
    expect(streamed([`See ${address} there`], 20)).toBe(`See\n${address}\nthere`);
  });
});

describe('words that arrive in pieces', () => {
  it('[L-2] are not broken where a piece ends at the edge', () => {
    expect(streamed(['The rate should be unknown until the fi', 'rst stroke.'], 40)).toBe(
      'The rate should be unknown until the\nfirst stroke.',
    );
  });

  it('[L-2] are shown as soon as they are complete', () => {
    const words = new WordWrap();
    expect([words.take('one tw', 20), words.take('o', 20), words.take(' ', 20), words.flush(20)]).toEqual([
      'one',
      '',
      ' two',
      '',
    ]);
  });

  it('[L-2] keep their indentation and their empty lines', () => {
    expect(streamed(['a:\n\n    code\n\tmore'], 20)).toBe('a:\n\n    code\n    more');
  });

  it('[L-2] may end after each wide character, and are not withheld', () => {
    const words = new WordWrap();
    expect(words.take('日本語', 4)).toBe('日本\n語');
  });

  it('[L-2] are complete, in order, and fit every width', () => {
    const pieces = fc.array(fc.stringMatching(/^[a-z \n]{0,12}$/), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 10, max: 120 }), (parts, columns) => {
        const shown = streamed(parts, columns);
        const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean);
        expect(wordsOf(shown)).toEqual(wordsOf(parts.join('')));
        for (const line of shown.split('\n')) {
          expect(line.trim().includes(' ') ? line.length : 0).toBeLessThanOrEqual(columns);
        }
      }),
    );
  });
});

function streamed(pieces: readonly string[], columns: number): string {
  const words = new WordWrap();
  return pieces.map((piece) => words.take(piece, columns)).join('') + words.flush(columns);
}
