import { describe, expect, it } from 'vitest';
import { hunksBetween } from '../../src/diff/hunks.ts';
import { unchangedLines } from '../../src/diff/unchanged-lines.ts';
import { changedWords } from '../../src/diff/words.ts';

/** Deterministic pseudo-random numbers. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const between = (a: readonly string[], b: readonly string[]): string[] =>
  hunksBetween(a, b, true).flatMap(({ lines }) => lines);

const marked = (lines: readonly string[], mark: string): number => lines.filter((line) => line.startsWith(mark)).length;

describe('the diff of two texts', () => {
  it('[I-8] shows 3 changed lines of 120 as 3 lines, wherever they are', () => {
    const before = Array.from({ length: 120 }, (_, at) => `line ${at}`);
    const after = before.map((line, at) => ([0, 60, 119].includes(at) ? `${line}, changed` : line));
    const lines = between(before, after);
    expect([marked(lines, '+'), marked(lines, '-')]).toEqual([3, 3]);
    expect(hunksBetween(before, after, true).map(({ oldStart, leftOut }) => [oldStart, leftOut])).toEqual([
      [1, 0],
      [58, 53],
      [117, 52],
    ]);
  });

  it('[I-8] turns one text into the other, for texts of every kind', () => {
    const random = numbers(7);
    for (let round = 0; round < 300; round += 1) {
      const word = (): string => 'abcdef'.charAt(random(1 + random(6)));
      const before = Array.from({ length: random(30) }, word);
      const after = before.flatMap((line) => (random(4) === 0 ? [word(), word()].slice(random(3)) : [line]));
      const pairs = unchangedLines(before, after);
      expect(pairs.every(([i, j]) => before[i] === after[j])).toBe(true);
      expect(
        pairs.every(([i, j], at) => at === 0 || (i > (pairs[at - 1]?.[0] ?? 0) && j > (pairs[at - 1]?.[1] ?? 0))),
      ).toBe(true);
      const lines = between(before, after);
      const { length } = pairs;
      expect([marked(lines, '-'), marked(lines, '+')]).toEqual([before.length - length, after.length - length]);
    }
  });

  it('[I-8] keeps the lines around a moved block, and finds changes between repeated lines', () => {
    expect(between(['a', '}', '', 'b', '}', ''], ['a', '}', '', 'x', '}', '', 'b', '}', ''])).toEqual([
      ...[' a', ' }', ' '],
      ...['+x', '+}', '+'],
      ...[' b', ' }', ' '],
    ]);
    expect(between(['x', 'x', 'y', 'x'], ['x', 'y', 'x', 'x'])).toHaveLength(5);
  });

  it('[I-8] stays fast for texts crafted to be slow', () => {
    const hostile: readonly (readonly [string[], string[]])[] = [
      [lines(19_000, (at) => `a${at % 2}`), lines(19_000, (at) => `a${(at + 1) % 3}`)],
      [lines(19_000, (at) => `${at}`), lines(19_000, (at) => `${18_999 - at}`)],
      [lines(19_000, (at) => `${at ** 2 % 9_973}`), lines(19_000, (at) => `${at ** 3 % 9_973}`)],
      [lines(200_000, (at) => `${at}`), lines(200_000, (at) => `${at + 1}`)],
    ];
    const before = process.cpuUsage();
    for (const [a, b] of hostile) unchangedLines(a, b);
    const { user, system } = process.cpuUsage(before);
    // A full comparison of the first pair alone would take minutes.
    expect((user + system) / 1_000).toBeLessThan(8_000);
  });
});

describe('the words of a changed line', () => {
  const words = (lines: readonly string[]): (string | undefined)[] =>
    changedWords(lines).map((pieces) => pieces?.map(({ text, changed }) => (changed ? `[${text}]` : text)).join(''));

  it('[I-8] are marked where they differ', () => {
    expect(words(['-const a = read(x, 1);', '+const a = write(x, 2);'])).toEqual([
      'const a = [read](x, [1]);',
      'const a = [write](x, [2]);',
    ]);
  });

  it('[I-8] are not marked in lines that have little in common, were only added, or are very long', () => {
    expect(words(['-one two three', '+entirely different content', '+more', ' same'])).toEqual([
      ...[undefined, undefined, undefined, undefined],
    ]);
    expect(words([`-${'a '.repeat(5_000)}`, `+${'a '.repeat(4_999)}b`])).toEqual([undefined, undefined]);
  });
});

function lines(count: number, line: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => line(at));
}
