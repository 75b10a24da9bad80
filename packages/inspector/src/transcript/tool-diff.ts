import type { Diff, Hunk } from '../api.ts';
import { hunksBetween } from '../diff/hunks.ts';
import { fieldsOf, listIn, numberIn } from './fields.ts';
import { type Change, changedPath, changesOf, type FileBefore } from './file-changes.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Number of lines of a diff sent with its entry, and characters of each. */
const SHOWN_LINES = 400;
const SHOWN_LENGTH = 2_000;

/** A tool call that may change a file. */
export interface ChangingCall {
  readonly tool: string;
  readonly input: Fields;
  /** The CLI's result, with its own patch. */
  readonly output?: unknown;
  /** The file before the call, if known. */
  readonly before?: FileBefore | undefined;
}

/** Functions that prepare a diff for the page. */
export interface DiffTexts {
  redact(text: string): string;
  /** Stores the full text of a cut diff and returns its URL. */
  storeFullText(text: string): string;
}

/** The change that a call makes to a file: from the CLI's own patch if present, or else from its input. */
export function diffOf(
  { tool, input, output, before }: ChangingCall,
  { redact, storeFullText }: DiffTexts,
): Diff | null {
  const path = changedPath(tool, input);
  if (path === null) return null;
  const result = fieldsOf(output);
  const patch = listIn(result, 'structuredPatch').map((hunk) => hunkOf(hunk, redact));
  const { changes, created } = changesOf(tool, input, before);
  const hunks = patch.some(({ lines }) => lines.length > 0) ? patch : changes.flatMap((one) => hunksOf(one, redact));
  if (hunks.length === 0) return null;
  const shown = cutHunks(hunks);
  const shownPath = redact(path);
  return {
    path: shownPath,
    ...sizeOf(hunks),
    hunks: shown.hunks,
    created: CREATED.get(result.type) ?? created,
    more: shown.isCut ? storeFullText(unified(shownPath, hunks)) : null,
  };
}

/** The number of added and removed lines. */
export function sizeOf(hunks: readonly Hunk[]): Pick<Diff, 'added' | 'removed'> {
  const [added, removed] = ['+', '-'].map((mark) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0),
  );
  return { added: added ?? 0, removed: removed ?? 0 };
}

/** The CLI's result types for a written file: whether it was created. */
const CREATED = new Map<unknown, boolean>([
  ['create', true],
  ['update', false],
]);

function hunkOf(value: unknown, redact: DiffTexts['redact']): Hunk {
  const fields = fieldsOf(value);
  const lines = listIn(fields, 'lines').flatMap((line) => (typeof line === 'string' ? [redact(line)] : []));
  return { oldStart: numberIn(fields, 'oldStart'), newStart: numberIn(fields, 'newStart'), leftOut: null, lines };
}

/** Secrets are removed before the texts are compared: one may span several lines. */
function hunksOf({ before, after, isWhole }: Change, redact: DiffTexts['redact']): Hunk[] {
  const [a, b] = linedAlike(redact(before), redact(after));
  const isCounted = a.length === linedAlike(before, after)[0].length;
  return hunksBetween(a, b, isWhole && isCounted);
}

/**
 * The lines of two texts. A line break at the end of both does not begin another line; if only one text has it, that is a change
 * and shown as a line.
 */
function linedAlike(before: string, after: string): [string[], string[]] {
  const alike = [before, after].every((text) => text === '' || text.endsWith('\n'));
  const split = (text: string): string[] => (text === '' ? [] : (alike ? text.slice(0, -1) : text).split('\n'));
  return [split(before), split(after)];
}

/** The beginning of a diff, and whether it is not all of it. */
export function cutHunks(hunks: readonly Hunk[]): { readonly hunks: readonly Hunk[]; readonly isCut: boolean } {
  let left = SHOWN_LINES;
  let isCut = false;
  const shown = hunks.flatMap((hunk) => {
    isCut ||= hunk.lines.length > left || hunk.lines.some((line) => line.length > SHOWN_LENGTH);
    if (left <= 0) return [];
    const lines = hunk.lines
      .slice(0, left)
      .map((line) => (line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line));
    left -= lines.length;
    return [{ ...hunk, lines }];
  });
  return { hunks: shown, isCut };
}

function unified(path: string, hunks: readonly Hunk[]): string {
  const body = hunks.map(({ oldStart, newStart, leftOut, lines }) => {
    const above = leftOut === null ? '' : ` ${leftOut} unchanged lines above`;
    return [`@@ -${oldStart ?? '?'} +${newStart ?? '?'} @@${above}`, ...lines].join('\n');
  });
  return [`--- ${path}`, `+++ ${path}`, ...body].join('\n');
}
