import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cyclesIn, importsBelow } from '../shape/imports.mjs';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));

/** How many files of each package import each other in a circle, type imports counted. These numbers may only shrink. */
const IN_CYCLES: Readonly<Record<string, number>> = {
  cli: 0,
  fleet: 0,
  inspector: 0,
  sdk: 14,
  testkit: 0,
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
