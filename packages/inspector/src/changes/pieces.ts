import type { Hunk } from '../api.ts';
import { hunksBetween } from '../diff/hunks.ts';

/** A part of a file: lines that no edit has shown and that are the same before and after all edits, or known lines. */
export type Piece = UnseenLines | KnownLines;

interface UnseenLines {
  readonly kind: 'unseen';
  readonly length: number;
}

interface KnownLines {
  readonly kind: 'same' | 'added' | 'removed';
  readonly lines: readonly string[];
}

/** A file that is not known: every line of it may exist. */
export const UNSEEN_FILE: readonly Piece[] = [{ kind: 'unseen', length: Number.POSITIVE_INFINITY }];

/** The pieces after an edit whose line numbers are known; undefined if it does not fit them. */
export function edited(pieces: readonly Piece[], hunks: readonly Hunk[]): readonly Piece[] | undefined {
  const reader = new Reader(pieces);
  for (const { oldStart, lines } of hunks) {
    if (oldStart === null || !reader.skipTo(Math.max(1, oldStart))) return undefined;
    for (const line of lines) if (!reader.take(line.charAt(0), line.slice(1))) return undefined;
  }
  return reader.rest();
}

/** The changes that pieces describe, with line numbers. */
export function hunksOf(pieces: readonly Piece[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let [before, after]: [string[], string[]] = [[], []];
  let [oldLine, newLine] = [0, 0];
  const flush = (): void => {
    for (const hunk of hunksBetween(before, after, true)) {
      const [oldStart, newStart] = [oldLine + (hunk.oldStart ?? 1), newLine + (hunk.newStart ?? 1)];
      hunks.push({ ...hunk, oldStart, newStart, leftOut: null });
    }
    oldLine += before.length;
    newLine += after.length;
    [before, after] = [[], []];
  };
  for (const piece of pieces) {
    if (piece.kind === 'unseen') {
      flush();
      oldLine += piece.length;
      newLine += piece.length;
    } else {
      for (const line of piece.lines) {
        if (piece.kind !== 'added') before.push(line);
        if (piece.kind !== 'removed') after.push(line);
      }
    }
  }
  flush();
  return hunks;
}

/** The runs of lines of the current file that are known, and the number of the first line of each. */
export function knownRuns(pieces: readonly Piece[]): readonly { readonly start: number; readonly lines: string[] }[] {
  const runs: { readonly start: number; readonly lines: string[] }[] = [];
  let line = 1;
  let run: string[] | undefined;
  for (const piece of pieces) {
    if (piece.kind === 'unseen') {
      line += piece.length;
      run = undefined;
    } else if (piece.kind !== 'removed') {
      if (run === undefined) {
        run = [];
        runs.push({ start: line, lines: run });
      }
      for (const known of piece.lines) run.push(known);
      line += piece.lines.length;
    }
  }
  return runs;
}

/** Walks through the lines of the current file, and collects the pieces after an edit. */
class Reader {
  readonly #pieces: readonly Piece[];
  readonly #done: Piece[] = [];
  #at = 0;
  /** Lines of the current piece that were read. */
  #read = 0;
  #line = 1;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /** Goes to a line; returns false if it is before the current one or after the end. */
  skipTo(line: number): boolean {
    while (this.#line < line) {
      const piece = this.#next();
      if (piece === undefined) return false;
      const length = Math.min(line - this.#line, lengthOf(piece) - this.#read);
      this.#done.push(part(piece, this.#read, this.#read + length));
      this.#read += length;
      this.#line += length;
    }
    return this.#line === line;
  }

  /** Reads a line of a hunk; returns false if the current file has another one there. */
  take(mark: string, text: string): boolean {
    if (mark === '+') {
      this.#done.push({ kind: 'added', lines: [text] });
      return true;
    }
    const piece = this.#next();
    if (piece === undefined || (piece.kind !== 'unseen' && piece.lines[this.#read] !== text)) return false;
    const kind = mark === '-' ? 'removed' : piece.kind === 'added' ? 'added' : 'same';
    // A line that was added and is removed again never existed.
    if (kind !== 'removed' || piece.kind !== 'added') this.#done.push({ kind, lines: [text] });
    this.#read += 1;
    this.#line += 1;
    return true;
  }

  /** All pieces, with those that were not read. */
  rest(): readonly Piece[] {
    const next = this.#next();
    if (next === undefined) return this.#done;
    return [...this.#done, part(next, this.#read, lengthOf(next)), ...this.#pieces.slice(this.#at + 1)];
  }

  /** The piece with the next line of the current file; passes removed lines on. */
  #next(): Piece | undefined {
    for (;;) {
      const piece = this.#pieces[this.#at];
      if (piece === undefined) return undefined;
      if (piece.kind === 'removed') this.#done.push(piece);
      else if (this.#read < lengthOf(piece)) return piece;
      this.#at += 1;
      this.#read = 0;
    }
  }
}

function lengthOf(piece: Piece): number {
  return piece.kind === 'unseen' ? piece.length : piece.lines.length;
}

function part(piece: Piece, from: number, to: number): Piece {
  if (piece.kind === 'unseen') return { kind: 'unseen', length: to - from };
  return {
    kind: piece.kind,
    lines: from === 0 && to === piece.lines.length ? piece.lines : piece.lines.slice(from, to),
  };
}
