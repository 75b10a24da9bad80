import type { Diff, Hunk } from '../api.ts';
import { oneLine } from './cut.ts';
import { fieldsOf, listIn, numberIn, textIn } from './fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an input that tell what a call does, the most telling first. */
const TELLING = [
  ...['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'path', 'description', 'skill', 'prompt'],
];

/** How many lines of a diff are sent with its entry, and how much of each. */
const SHOWN_LINES = 400;
const SHOWN_LENGTH = 2_000;

/** The part of a tool's input that tells most, on one line. Secrets are removed before it is cut: the half of one is no match. */
export function argumentOf(input: Fields, redact: (text: string) => string): string {
  for (const field of TELLING) {
    const value = input[field];
    if (typeof value === 'string' && value !== '') return oneLine(redact(value));
  }
  const question = textIn(fieldsOf(listIn(input, 'questions')[0]), 'question');
  if (question !== null) return oneLine(redact(question));
  const plain = Object.entries(input).filter(([, value]) => typeof value !== 'object');
  return oneLine(redact(plain.map(([name, value]) => `${name}: ${String(value)}`).join(', ')));
}

/** Whether the tool starts a subagent. */
export function startsSubagent(tool: string): boolean {
  return tool === 'Agent' || tool === 'Task';
}

/** A diff, cut, and the whole of it as text if it was cut. */
export interface CutDiff {
  readonly diff: Omit<Diff, 'more'>;
  readonly whole: string | null;
}

/** The change of a file that a call makes: from the CLI's own patch when there is one, else from its input. */
export function diffOf(tool: string, input: Fields, output: unknown): CutDiff | null {
  const path = textIn(input, 'file_path') ?? textIn(input, 'notebook_path');
  if (path === null || !CHANGING.has(tool)) return null;
  const result = fieldsOf(output);
  const patch = listIn(result, 'structuredPatch')
    .map(hunkOf)
    .filter((hunk) => hunk.lines.length > 0);
  const hunks = patch.length > 0 ? patch : hunksOf(tool, input);
  if (hunks.length === 0) return null;
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const diff = {
    path,
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    hunks: cutHunks(hunks),
    created: tool === 'Write' ? (CREATED.get(result.type) ?? null) : false,
  };
  const isCut = lines.length > SHOWN_LINES || lines.some((line) => line.length > SHOWN_LENGTH);
  return { diff, whole: isCut ? unified(path, hunks) : null };
}

/** What the CLI says about a file that was written. */
const CREATED = new Map<unknown, boolean>([
  ['create', true],
  ['update', false],
]);

const CHANGING = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

function hunksOf(tool: string, input: Fields): Hunk[] {
  const written = textIn(input, 'content') ?? textIn(input, 'new_source');
  // What a deleted cell held is not said.
  if (tool === 'NotebookEdit' && input.edit_mode === 'delete') return [];
  if (tool === 'Write' || tool === 'NotebookEdit') {
    return written === null ? [] : [{ oldStart: null, newStart: 1, lines: lined(written).map((line) => `+${line}`) }];
  }
  const edits = tool === 'MultiEdit' ? listIn(input, 'edits').map(fieldsOf) : [input];
  return edits.flatMap((edit) => {
    const [before, after] = [textIn(edit, 'old_string'), textIn(edit, 'new_string')];
    return before === null || after === null ? [] : [fragment(...linedAlike(before, after))];
  });
}

/** The lines of a text; a line break at its end ends the last line and begins no other. */
function lined(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** The lines of two fragments. If only one of them ends with a line break, that is a change, too, and shown as a line. */
function linedAlike(before: string, after: string): [string[], string[]] {
  const alike = [before, after].every((text) => text === '' || text.endsWith('\n'));
  const split = (text: string): string[] => (alike ? lined(text) : text === '' ? [] : text.split('\n'));
  return [split(before), split(after)];
}

/** Two fragments with what they have in common at both ends. */
function fragment(before: readonly string[], after: readonly string[]): Hunk {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const lines = [
    ...before.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail).map((line) => ` ${line}`),
  ];
  return { oldStart: null, newStart: null, lines };
}

function hunkOf(value: unknown): Hunk {
  const fields = fieldsOf(value);
  const lines = listIn(fields, 'lines').filter((line) => typeof line === 'string');
  return { oldStart: numberIn(fields, 'oldStart'), newStart: numberIn(fields, 'newStart'), lines };
}

function cutHunks(hunks: readonly Hunk[]): Hunk[] {
  let left = SHOWN_LINES;
  return hunks.flatMap((hunk) => {
    if (left <= 0) return [];
    const lines = hunk.lines
      .slice(0, left)
      .map((line) => (line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line));
    left -= lines.length;
    return [{ ...hunk, lines }];
  });
}

function unified(path: string, hunks: readonly Hunk[]): string {
  const head = `--- ${path}\n+++ ${path}\n`;
  return (
    head +
    hunks
      .map(({ oldStart, newStart, lines }) => [`@@ -${oldStart ?? '?'} +${newStart ?? '?'} @@`, ...lines].join('\n'))
      .join('\n')
  );
}
