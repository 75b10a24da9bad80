import { expect, it, vi } from 'vitest';
import { entryOf, newMark } from '../../src/process/mark.ts';

it('[R-2] no two marks are alike, also where another copy of the module counts for itself', async () => {
  vi.resetModules();
  const copy = await import('../../src/process/mark.ts');
  expect(copy.newMark).not.toBe(newMark);
  const marks = Array.from({ length: 1_000 }, () => [newMark(), copy.newMark()]).flat();
  expect(new Set(marks.map(entryOf)).size).toBe(2_000);
});

it('[R-2] a mark is looked for as it stands in the environment', () => {
  expect(entryOf({ COXSWAIN_RUN: '12.ab.0' })).toBe('COXSWAIN_RUN=12.ab.0');
});
