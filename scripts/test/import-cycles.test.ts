import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cyclesIn, importsBelow } from '../shape/imports.mjs';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));

describe('import cycles, type imports counted', () => {
  it.each(readdirSync(packages))('%s has none', (name) => {
    expect(cyclesIn(importsBelow(join(packages, name, 'src')))).toEqual([]);
  });

  it('are found, even through several files', () => {
    const imports = new Map([
      ['a.ts', ['b.ts', 'd.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['a.ts']],
      ['d.ts', []],
    ]);
    expect(cyclesIn(imports)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
  });
});
