import { commonItems } from './common-items.ts';

/** A part of a line. */
export interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

/** Longer lines, and lines with less in common, are not marked: almost every word would be. */
const LIMITS = { length: 4_000, words: 400, common: 0.3 };

/**
 * Marks the words that differ in the replaced and replacing lines of a hunk. Undefined for other lines.
 * Each line starts with ' ', '+' or '-'; its pieces do not.
 */
export function changedWords(lines: readonly string[]): (readonly Piece[] | undefined)[] {
  const marked: (readonly Piece[] | undefined)[] = lines.map(() => undefined);
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, '-');
    const added = run(lines, at + removed, '+');
    for (let pair = 0; pair < Math.min(removed, added); pair += 1) {
      const [before, after] = [at + pair, at + removed + pair];
      [marked[before], marked[after]] = pieces(lines[before] ?? '', lines[after] ?? '');
    }
    at += Math.max(1, removed + added);
  }
  return marked;
}

function run(lines: readonly string[], from: number, mark: string): number {
  let to = from;
  while (lines[to]?.startsWith(mark)) to += 1;
  return to - from;
}

function pieces(before: string, after: string): [readonly Piece[] | undefined, readonly Piece[] | undefined] {
  if (Math.max(before.length, after.length) > LIMITS.length) return [undefined, undefined];
  const [a, b] = [wordsOf(before), wordsOf(after)];
  if (a.length > LIMITS.words || b.length > LIMITS.words) return [undefined, undefined];
  const pairs = commonItems(a, b);
  const length = (words: readonly (string | undefined)[]): number => words.join('').trim().length;
  const common = length(pairs.map(([i]) => a[i]));
  if (common < LIMITS.common * Math.max(length(a), length(b))) return [undefined, undefined];
  return [joined(a, new Set(pairs.map(([i]) => i))), joined(b, new Set(pairs.map(([, j]) => j)))];
}

/** Words, runs of blanks and single symbols, without the leading mark. */
function wordsOf(line: string): string[] {
  return line.slice(1).match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? [];
}

/** Joins words to pieces; blanks between two changed words count as changed. */
function joined(words: readonly string[], kept: ReadonlySet<number>): Piece[] {
  const isChanged = (at: number): boolean => at >= 0 && at < words.length && !kept.has(at);
  const found: { text: string; readonly changed: boolean }[] = [];
  words.forEach((text, at) => {
    const changed = isChanged(at) || (text.trim() === '' && isChanged(at - 1) && isChanged(at + 1));
    const last = found.at(-1);
    if (last?.changed === changed) last.text += text;
    else found.push({ text, changed });
  });
  return found;
}
