import { describe, expect, it } from 'vitest';
import { isWithin } from '../../src/turn/daily-limit.ts';

describe('the daily limit of a tenant', () => {
  const day = { maxUsdPerDay: 1, spentUsd: 0, reservedUsd: 0, budgetUsd: null };

  it.each([
    ['a budget that fits', { budgetUsd: 0.4, spentUsd: 0.2, reservedUsd: 0.4 }, true],
    ['a budget that does not fit beside what is reserved', { budgetUsd: 0.41, spentUsd: 0.2, reservedUsd: 0.4 }, false],
    [
      'a budget that fits exactly, although sums are not exact',
      { budgetUsd: 0.1, spentUsd: 0.2, reservedUsd: 0.7 },
      true,
    ],
    ['a budget larger than a day, on a day without any cost', { budgetUsd: 5 }, true],
    ['a budget larger than a day, on any other day', { budgetUsd: 5, spentUsd: 0.01 }, false],
    ['no budget while anything is left', { spentUsd: 0.5, reservedUsd: 0.4 }, true],
    ['no budget when all is spent or reserved', { spentUsd: 0.6, reservedUsd: 0.4 }, false],
    ['any turn when nothing may be spent', { maxUsdPerDay: 0 }, false],
    ['no turn if it is unknown what was spent', { spentUsd: Number.NaN }, false],
    ['a turn with a budget when nothing may be spent', { maxUsdPerDay: 0, budgetUsd: 4 }, false],
  ])('[F-10] %s', (_, given, isAllowed) => {
    expect(isWithin({ ...day, ...given })).toBe(isAllowed);
  });
});
