import type { Hunk } from '../api.ts';
import { unchangedLines } from './unchanged-lines.ts';

/** Number of unchanged lines shown around a change. */
const CONTEXT = 3;

/** A changed range in both texts: from its first line to the line after its last. */
interface Change {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** The changes between two texts, with context lines. `numbered`: the texts are whole files. */
export function hunksBetween(a: readonly string[], b: readonly string[], numbered: boolean): Hunk[] {
  let shown = 0;
  return grouped(changesBetween(a, b)).map(({ first, last, changes }) => {
    const start = Math.max(0, first.aFrom - CONTEXT);
    const end = Math.min(a.length, last.aTo + CONTEXT);
    const newStart = start + first.bFrom - first.aFrom;
    const places = numbered ? { oldStart: start + 1, newStart: newStart + 1 } : { oldStart: null, newStart: null };
    const hunk = { ...places, leftOut: start - shown, lines: linesOf(a, b, changes, start, end) };
    shown = end;
    return hunk;
  });
}

function changesBetween(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  for (const [aAt, bAt] of [...unchangedLines(a, b), [a.length, b.length] as const]) {
    if (aAt > i || bAt > j) changes.push({ aFrom: i, aTo: aAt, bFrom: j, bTo: bAt });
    [i, j] = [aAt + 1, bAt + 1];
  }
  return changes;
}

interface Group {
  readonly first: Change;
  last: Change;
  readonly changes: Change[];
}

/** Joins changes whose contexts touch. */
function grouped(changes: readonly Change[]): Group[] {
  const groups: Group[] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    if (group && change.aFrom - group.last.aTo <= 2 * CONTEXT) {
      group.changes.push(change);
      group.last = change;
    } else groups.push({ first: change, last: change, changes: [change] });
  }
  return groups;
}

function linesOf(
  a: readonly string[],
  b: readonly string[],
  changes: readonly Change[],
  start: number,
  end: number,
): string[] {
  const lines: string[] = [];
  const add = (mark: ' ' | '-' | '+', some: readonly string[]): void => {
    for (const line of some) lines.push(mark + line);
  };
  let at = start;
  for (const { aFrom, aTo, bFrom, bTo } of changes) {
    add(' ', a.slice(at, aFrom));
    add('-', a.slice(aFrom, aTo));
    add('+', b.slice(bFrom, bTo));
    at = aTo;
  }
  add(' ', a.slice(at, end));
  return lines;
}
