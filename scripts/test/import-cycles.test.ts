import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));

/** How many files of each package import each other in a circle, type imports counted. These numbers may only shrink. */
const IN_CYCLES: Readonly<Record<string, number>> = {
  cli: 5,
  fleet: 2,
  inspector: 13,
  sdk: 30,
  testkit: 24,
};

describe('import cycles, type imports counted', () => {
  it.each(readdirSync(packages))('%s has no more files in cycles than before', (name) => {
    const cycles = cyclesIn(importsBelow(join(packages, name, 'src')));
    const listed = cycles.map((files) => files.join(' '));
    expect({ files: cycles.flat().length, listed }).toEqual({ files: IN_CYCLES[name] ?? 0, listed });
  });

  it('are found, also through several files', () => {
    const imports = new Map([
      ['a.ts', ['b.ts', 'd.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['a.ts']],
      ['d.ts', []],
    ]);
    expect(cyclesIn(imports)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
  });
});

type Imports = ReadonlyMap<string, readonly string[]>;

function importsBelow(root: string): Imports {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  const known = new Set(files);
  return new Map(
    files.map((path) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), 'utf8'));
      const targets = importedFiles.map(({ fileName }) => posix.join(posix.dirname(path), fileName));
      return [path, targets.filter((target) => known.has(target))];
    }),
  );
}

/** The strongly connected components with more than one file: those that reach each other. */
function cyclesIn(imports: Imports): string[][] {
  const reached = new Map([...imports.keys()].map((path) => [path, reachable(path, imports)]));
  const cycles = new Map<string, string[]>();
  for (const [path, targets] of reached) {
    if (!targets.has(path)) continue;
    const members = [...targets].filter((target) => reached.get(target)?.has(path)).sort();
    cycles.set(members.join(' '), members);
  }
  return [...cycles.values()];
}

function reachable(start: string, imports: Imports): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...(imports.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(imports.get(next) ?? []));
  }
  return found;
}
