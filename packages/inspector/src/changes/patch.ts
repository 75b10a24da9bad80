import { posix } from 'node:path';
import type { Hunk } from '../api.ts';
import type { MergedChanges } from './merge.ts';

/** The changes of a file as a patch for `git apply` and `patch -p1`. Hunks without line numbers have `?` instead. */
export function patchOf(path: string, folder: string | null, { hunks, created }: MergedChanges): string {
  if (hunks.length === 0) return '';
  const name = nameOf(path, folder);
  const from = created === true ? '/dev/null' : `a/${name}`;
  return [
    `diff --git a/${name} b/${name}`,
    ...(created === true ? ['new file mode 100644'] : []),
    `--- ${from}`,
    `+++ b/${name}`,
    ...hunks.flatMap((hunk) => [headOf(hunk), ...hunk.lines]),
    '',
  ].join('\n');
}

/** The path in the folder of the agent; other paths are kept, without the leading slash. */
function nameOf(path: string, folder: string | null): string {
  const inside = folder === null || !path.startsWith('/') ? path : posix.relative(folder, path);
  return (inside.startsWith('../') ? path : inside).replace(/^\/+/, '');
}

function headOf({ oldStart, newStart, lines }: Hunk): string {
  return `@@ -${rangeOf(oldStart, lines, '+')} +${rangeOf(newStart, lines, '-')} @@`;
}

/** An empty range is named by the line before it. */
function rangeOf(start: number | null, lines: readonly string[], without: '+' | '-'): string {
  const length = lines.filter((line) => line[0] !== without).length;
  if (start === null) return '?';
  return `${length === 0 ? start - 1 : start},${length}`;
}
