import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DIFFERENCES } from './differences.ts';

test('[U-2] a comparison checks every declared difference', () => {
  const here = new URL('.', import.meta.url);
  const comparisons = readdirSync(here).filter((name) => name.endsWith('.real.test.ts'));
  const source = comparisons.map((name) => readFileSync(new URL(name, here), 'utf8')).join('\n');
  const unchecked = Object.keys(DIFFERENCES).filter((name) => !source.includes(`differs('${name}')`));
  expect(unchecked).toEqual([]);
});
