import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EditHunks, mergeEdits } from '../../src/changes/merge.ts';
import { patchOf } from '../../src/changes/patch.ts';
import { hunksBetween } from '../../src/diff/hunks.ts';

type Lines = readonly string[];

function edit(before: Lines, after: Lines, numbered = true): EditHunks {
  return { hunks: hunksBetween(before, after, numbered), created: false };
}

/** A file and its versions after each of several edits of a few lines. */
const versions = fc
  .tuple(
    fc.integer({ min: 1, max: 60 }),
    fc.array(
      fc.tuple(fc.nat(60), fc.nat(3), fc.array(fc.constantFrom('x', 'y', 'line 3', 'line 9'), { maxLength: 3 })),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
  )
  .map(([length, edits]) => {
    const all: Lines[] = [Array.from({ length }, (_, at) => `line ${at}`)];
    for (const [at, removed, added] of edits) {
      const last = all.at(-1) ?? [];
      all.push([...last.slice(0, at), ...added, ...last.slice(at + removed)]);
    }
    return all;
  });

describe('merged changes of a file', () => {
  it('[I-15] edits of any order and place are merged into the diff between the first and the last version', () => {
    fc.assert(
      fc.property(versions, (all) => {
        const edits = all.slice(1).map((after, at) => edit(all[at] ?? [], after));
        const { hunks, merged } = mergeEdits(edits.filter((each) => each.hunks.length > 0));
        expect(merged).toBe(true);
        expect(afterHunks(all[0] ?? [], hunks)).toEqual(all.at(-1));
      }),
      { numRuns: 300 },
    );
  });

  it('[I-15] git applies the patch', () => {
    fc.assert(
      fc.property(versions, (all) => {
        const edits = all.slice(1).map((after, at) => edit(all[at] ?? [], after));
        const changes = mergeEdits(edits.filter((each) => each.hunks.length > 0));
        fc.pre(changes.hunks.length > 0 && (all.at(-1)?.length ?? 0) > 0);
        expect(applied(all[0] ?? [], patchOf('/srv/rowing/src/rate.ts', '/srv/rowing/src', changes))).toEqual(
          all.at(-1),
        );
      }),
      { numRuns: 10 },
    );
  });

  it('[I-15] an edit without line numbers is merged where its old text is known and unique', () => {
    const created = { hunks: hunksBetween([], ['one', 'two', 'three'], true), created: true };
    const { hunks, merged } = mergeEdits([created, edit(['wo'], ['WO'], false)]);
    expect(merged).toBe(true);
    expect(hunks.flatMap(({ lines }) => lines)).toEqual(['+one', '+tWO', '+three']);
  });

  it('[I-15] edits between which something else changed the file are shown one after the other', () => {
    const [first, second] = [edit(['a', 'b'], ['a', 'c']), edit(['a', 'x'], ['a', 'y'])];
    const { hunks, merged } = mergeEdits([first, second]);
    expect(merged).toBe(false);
    expect(hunks.map(({ lines }) => lines)).toEqual([
      [' a', '-b', '+c'],
      [' a', '-x', '+y'],
    ]);
  });

  it('[I-15] 2,000 edits of a large file are merged in bounded time', () => {
    const before = Array.from({ length: 19_000 }, (_, at) => `line ${at}`);
    const written = { hunks: hunksBetween([], before, true), created: true };
    const lines = (at: number): string[] => [`-line ${at}`, `+changed ${at}`];
    const edits = Array.from({ length: 2_000 }, (_, at) => {
      const place = 9 * at + 1;
      return { hunks: [{ oldStart: place, newStart: place, leftOut: null, lines: lines(place - 1) }], created: false };
    });
    const at = performance.now();
    const { hunks, merged } = mergeEdits([written, ...edits]);
    expect(merged).toBe(true);
    expect(hunks.flatMap((hunk) => hunk.lines).filter((line) => line.startsWith('+changed'))).toHaveLength(2_000);
    expect(performance.now() - at).toBeLessThan(5_000);
  });

  it('[I-15] a change that is undone leaves no line', () => {
    const { hunks, merged } = mergeEdits([edit(['a', 'b'], ['a', 'c']), edit(['a', 'c'], ['a', 'b'])]);
    expect({ hunks, merged }).toEqual({ hunks: [], merged: true });
  });

  it('[I-15] a file that is created is a new file in the patch', () => {
    const created = { hunks: hunksBetween([], ['one', 'two'], true), created: true };
    const patch = patchOf('/srv/new.ts', '/srv', mergeEdits([created, edit(['one', 'two'], ['one', '2'])]));
    expect(patch).toBe(
      'diff --git a/new.ts b/new.ts\nnew file mode 100644\n--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,2 @@\n+one\n+2\n',
    );
  });
});

/** Applies hunks with line numbers. */
function afterHunks(lines: Lines, hunks: EditHunks['hunks']): Lines {
  let [at, result]: [number, string[]] = [0, []];
  for (const { oldStart, lines: changed } of hunks) {
    result = [...result, ...lines.slice(at, (oldStart ?? 1) - 1)];
    at = (oldStart ?? 1) - 1;
    for (const line of changed) {
      if (line[0] !== '+') expect(lines[at++]).toBe(line.slice(1));
      if (line[0] !== '-') result.push(line.slice(1));
    }
  }
  return [...result, ...lines.slice(at)];
}

function applied(lines: Lines, patch: string): Lines {
  const folder = mkdtempSync(join(tmpdir(), 'merged-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'rate.ts');
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  execFileSync('git', ['apply', '--unidiff-zero', '-'], { cwd: folder, input: patch });
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}
