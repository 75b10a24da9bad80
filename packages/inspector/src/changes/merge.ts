import type { Hunk } from '../api.ts';
import { hunksBetween } from '../diff/hunks.ts';
import { edited, hunksOf, knownRuns, type Piece, UNSEEN_FILE } from './pieces.ts';

/** Known lines of a file in which the place of an edit without line numbers is looked for. */
const MOST_LINES = 5_000;

/** The changes of one call. */
export interface EditHunks {
  readonly hunks: readonly Hunk[];
  /** Whether the call created the file; `null`: it wrote the whole file, and what it replaced is unknown. */
  readonly created: boolean | null;
}

/** The changes of all calls together. */
export interface MergedChanges {
  readonly hunks: readonly Hunk[];
  readonly created: boolean | null;
  /** Whether the hunks are one diff from the file before the first call to the file after the last one. */
  readonly merged: boolean;
}

/**
 * Merges the edits of a file: a line that was changed twice is shown as it was and as it is. Edits that cannot be merged follow:
 * after a change by something else the lines do not fit, and an edit without line numbers may be anywhere.
 */
export function mergeEdits(edits: readonly EditHunks[]): MergedChanges {
  let pieces: readonly Piece[] = UNSEEN_FILE;
  const hunks: Hunk[] = [];
  let merged = true;
  /** The edits so far are shown for themselves; the following ones are merged again. */
  const restart = (): void => {
    hunks.push(...hunksOf(pieces));
    merged &&= hunks.length === 0;
    pieces = UNSEEN_FILE;
  };
  for (const edit of edits) {
    if (edit.created !== false && isWholeFile(edit)) {
      if (pieces !== UNSEEN_FILE) restart();
      pieces = [{ kind: 'added', lines: linesOf(edit) }];
      continue;
    }
    const next = edited(pieces, edit.hunks) ?? edited(pieces, placed(pieces, edit.hunks));
    if (next !== undefined) {
      pieces = next;
      continue;
    }
    restart();
    const fresh = edited(UNSEEN_FILE, edit.hunks);
    if (fresh !== undefined) pieces = fresh;
    else {
      hunks.push(...edit.hunks);
      merged &&= edits.length === 1;
    }
  }
  return { hunks: [...hunks, ...hunksOf(pieces)], created: edits[0]?.created ?? null, merged };
}

function isWholeFile({ hunks }: EditHunks): boolean {
  return hunks.every(
    ({ oldStart, lines }) => oldStart !== null && oldStart <= 1 && lines.every((line) => line[0] === '+'),
  );
}

function linesOf({ hunks }: EditHunks): string[] {
  return hunks.flatMap(({ lines }) => lines.map((line) => line.slice(1)));
}

/** Line numbers for changes that have none, if their old text is in exactly one place of the known lines. */
function placed(pieces: readonly Piece[], hunks: readonly Hunk[]): readonly Hunk[] {
  if (hunks.every(({ oldStart }) => oldStart !== null)) return hunks;
  const runs = knownRuns(pieces);
  if (runs.reduce((sum, { lines }) => sum + lines.length, 0) > MOST_LINES) return hunks;
  const found = hunks.map((hunk) => (hunk.oldStart === null ? placeOf(runs, hunk) : [hunk]));
  return found.flat().sort((a, b) => (a.oldStart ?? 0) - (b.oldStart ?? 0));
}

function placeOf(runs: ReturnType<typeof knownRuns>, hunk: Hunk): readonly Hunk[] {
  const text = (without: '+' | '-'): string =>
    hunk.lines.flatMap((line) => (line[0] === without ? [] : [line.slice(1)])).join('\n');
  const before = text('+');
  const places = runs.flatMap(({ start, lines }) => {
    const all = lines.join('\n');
    const at = before === '' ? -1 : all.indexOf(before);
    if (at === -1) return [];
    const after = `${all.slice(0, at)}${text('-')}${all.slice(at + before.length)}`;
    return [{ start, lines, after, isOnly: !all.includes(before, at + 1) }];
  });
  const [place] = places;
  if (place === undefined || places.length > 1 || !place.isOnly) return [hunk];
  return hunksBetween(place.lines, place.after.split('\n'), true).map((one) => ({
    ...one,
    oldStart: (one.oldStart ?? 1) + place.start - 1,
  }));
}
